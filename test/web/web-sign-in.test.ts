/** The sign-in form where messages are sent, so that the limits on codes apply. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { createEvent, createUser, fromPage, nextAddress, nextPhone } from '../support/factories.ts';
import { MailServer, textOf } from '../support/mail-server.ts';
import { expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';

const codes: string[] = [];
const languages: string[] = [];
const sms = {
  delivers: true,
  async send(_phone: string, _purpose: string, code: string, language: string) {
    codes.push(code);
    languages.push(language);
  },
  tellOfChange: async () => {},
  sendNotice: async () => {},
  sendTest: async () => {},
};
const clock = new TestClock();
const api = await startTestApp({ pages: true, sms, clock });

/** Submits a form of the page without scripts. */
async function submit(
  action: 'code' | 'enter',
  fields: Record<string, string>,
  cookie = '',
  language = 'en',
) {
  const response = await fetch(`${api.url}/sign-in?/${action}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { ...fromPage, cookie, accept: 'text/html', 'accept-language': language },
    redirect: 'manual',
  });
  return { status: response.status, text: await response.text(), cookies: response.headers.getSetCookie() };
}

test('sign-in form: asks for the newest code when no further one is sent, and accepts it', async () => {
  const phone = nextPhone();
  assert.equal((await submit('code', { phone })).status, 200);
  const refused = await submit('code', { phone });
  assert.equal(refused.status, 429);
  assert.match(refused.text, /name="code"/);
  assert.match(refused.text, /enter the newest/);
  assert.doesNotMatch(refused.text, /We sent a code to/);
  assert.equal((await submit('enter', { phone, code: codes.at(-1) ?? '', next: '/' })).status, 303);
});

test('sign-in form: sends the device cookie, also after the session has ended', async () => {
  const phone = nextPhone();
  await submit('code', { phone });
  const { cookies } = await submit('enter', { phone, code: codes.at(-1) ?? '', next: '/' });
  const [session = '', device = ''] = cookies.map((cookie) => cookie.split(';', 1)[0] ?? '');
  assert.match(device, /^potluck-device-0=pd_/);
  const headers = { ...fromPage, cookie: session };
  await api.call('POST', '/v1/auth/logout', { headers });
  // A stranger in the same network uses up its tries.
  const wrong = { phone, code: codes.includes('000000') ? '111111' : '000000' };
  for (let i = 0; i < 5; i++) await api.post('/v1/auth/otp/verify', undefined, wrong);
  expectProblem(await api.post('/v1/auth/otp/verify', undefined, wrong), 429, 'too_many_tries');
  clock.advance(60_000);
  const cookie = `language=en; ${session}; ${device}`;
  assert.equal((await submit('code', { phone }, cookie)).status, 200);
  const again = await submit('enter', { phone, code: codes.at(-1) ?? '', next: '/people' }, cookie);
  assert.equal(again.status, 303, again.text);
});

test('sign-in form: the message has the language of the page: the chosen one, else that of the browser', async () => {
  await submit('code', { phone: nextPhone() }, '', 'sv-SE,sv;q=0.9');
  await submit('code', { phone: nextPhone() }, 'language=ar', 'sv-SE,sv;q=0.9');
  assert.deepEqual(languages.slice(-2), ['sv', 'ar']);
});

test('link of a mail: its page names what the visitor chose before, does it with the sign-in, and opens the event', async () => {
  const mailServer = new MailServer();
  const port = await mailServer.listen();
  after(() => mailServer.close());
  const env = {
    PUBLIC_URL: 'https://events.example.org',
    MAIL_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'events@example.org',
    DEV_CODES: 'off',
  };
  const mailClock = new TestClock();
  const mailing = await startTestApp({ env, pages: true, clock: mailClock });
  const send = (path: string, fields: Record<string, string>) =>
    fetch(new URL(path, mailing.url), {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { ...fromPage, accept: 'text/html' },
      redirect: 'manual',
    });
  const organizer = await createUser(mailing);
  const event = await createEvent(mailing, organizer, { title: 'Soup for the street' });
  const guest = await createUser(mailing);
  expectStatus(await mailing.patch('/v1/me', guest.token, { name: 'Noor' }), 200);
  const email = nextAddress();
  expectStatus(await mailing.call('PUT', '/v1/me/email', { token: guest.token, body: { email } }), 202);
  const [confirmation] = mailServer.received;
  assert.ok(confirmation);
  const code = /\b\d{6}\b/.exec(textOf(confirmation))?.[0];
  expectStatus(await mailing.post('/v1/me/email/verify', guest.token, { code }), 200);
  // The server sends no second code to an address at once.
  mailClock.advance(120_000);
  const chosen = { next: `/e/${event.id}`, eventId: event.id, rsvp: 'going' };
  assert.equal((await send('/sign-in?/code', { email, ...chosen })).status, 200);
  const mail = mailServer.received.at(-1);
  assert.ok(mail);
  const link = new URL(/https?:\S+\/sign-in\/link\S+/.exec(textOf(mail))?.[0] ?? '');
  const page = await (await fetch(new URL(link.pathname + link.search, mailing.url))).text();
  assert.match(page, /we note that you're going: Soup for the street/);
  // A browser without scripts sends the fields of the page.
  const form = page.slice(page.indexOf('<form'), page.indexOf('</form>'));
  const fields = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const hidden = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
  assert.deepEqual(hidden, { token: link.searchParams.get('token'), ...chosen });
  const signedIn = await send('/sign-in/link', hidden);
  assert.deepEqual([signedIn.status, signedIn.headers.get('location')], [303, `/e/${event.id}`]);
  assert.equal(expectStatus(await mailing.get(`/v1/events/${event.id}`), 200).body.goingCount, 1);
  // A link is valid once; its page offers another one for the same.
  const again = await (await send(link.pathname + link.search, hidden)).text();
  assert.match(again, new RegExp(`href="/sign-in\\?by=email[^"]*eventId=${event.id}`));
  // An address of another site is not followed.
  const away = await (await fetch(new URL('/sign-in/link?token=x&next=//evil.example/', mailing.url))).text();
  assert.match(away, /name="next" value="\/"/);
});
