import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { nextPhone } from '../support/factories.ts';
import { expectStatus, startTestApp, TestClock } from '../support/setup.ts';
import { codeIn, openSmsService } from './sms-service.ts';

const stub = await openSmsService();
after(() => stub.close());
const env = {
  SMS_DRIVER: 'http',
  SMS_HTTP_URL: `${stub.url}/`,
  SMS_HTTP_BODY: '{"to":"{phone}","text":"{text}"}',
};
const clock = new TestClock();
const api = await startTestApp({ env, clock });

/** Requests a code, and returns the message that it causes. */
async function messageAfter(path: string, call: { body?: object; token?: string }, language?: string) {
  clock.advance(61_000);
  const headers: Record<string, string> = language ? { 'accept-language': language } : {};
  const { body } = expectStatus(await api.call('POST', path, { ...call, headers }), 202);
  const { text } = JSON.parse(stub.received.at(-1)?.body ?? '') as { text: string };
  return { text, response: body };
}

const signInText = (phone: string, language?: string) =>
  messageAfter('/v1/auth/otp/request', { body: { phone } }, language);

test('message: in the first language of Accept-Language that the server has, otherwise in English', async () => {
  for (const [accepted, expected] of [
    [undefined, /^\d{6} is your Potluck code\. /],
    ['*', /^\d{6} is your Potluck code\. /],
    ['fr, nl;q=0.8', /^\d{6} is your Potluck code\. /],
    ['de-AT', /^\d{6} ist dein Code für Potluck\. /],
    ['fr, en;q=0.2, sv;q=0.8', /^\d{6} är din kod för Potluck\. /],
    ['ar-EG,ar;q=0.9', /^\d{6} هو رمزك في Potluck\. /],
  ] as const)
    assert.match((await signInText(nextPhone(), accepted)).text, expected);
});

test('message: language and response are the same for a number with an account and for one without', async () => {
  const known = nextPhone();
  const first = await signInText(known, 'de');
  const code = codeIn(first.text);
  const { body } = expectStatus(
    await api.post('/v1/auth/otp/verify', undefined, { phone: known, code }),
    200,
  );
  const withoutCode = ({ text, response }: typeof first) => ({
    response,
    text: text.replaceAll(/\d{6}/g, '…'),
  });
  const again = withoutCode(await signInText(known, 'sv'));
  assert.deepEqual(again, withoutCode(await signInText(nextPhone(), 'sv')));
  const deletion = await messageAfter('/v1/me/delete-code', { token: body.accessToken }, 'ar');
  assert.match(deletion.text, /^\d{6} لحذف حسابك في Potluck/);
});
