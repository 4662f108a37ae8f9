import assert from 'node:assert/strict';
import test from 'node:test';
import type { SmsDriver } from '../src/modules/auth/sms.ts';
import { expectProblem, expectStatus, startTestApp, TestClock } from './setup.ts';

/** Really sends, as far as the app can tell: the limits hold. */
const outbox: { phone: string; code: string }[] = [];
const sms: SmsDriver = {
  delivers: true,
  send: async (phone, _purpose, code) => void outbox.push({ phone, code }),
};
const clock = new TestClock();
const api = await startTestApp({ sms, clock, env: { SMS_PER_DAY: '160' } });
const other = await api.another({ sms, env: { SMS_PER_DAY: '160' } });
const [minute, day] = [60_000, 86_400_000];

const request = (phone: string, on = api) => on.post('/v1/auth/otp/request', undefined, { phone });
/** Counts begin anew at midnight UTC; each test gets a day of its own. */
const nextDay = () => clock.advance(day - (clock.now().getTime() % day) + minute);
const number = (n: number, country = '+4670') => `${country}${String(n).padStart(7, '0')}`;

test('sending: 202 says that another may be asked for in a minute, and carries no code', async () => {
  nextDay();
  assert.deepEqual(expectStatus(await request(number(1)), 202).body, { expiresIn: 300, resendAfter: 60 });
  assert.equal(outbox.at(-1)?.phone, number(1));
});

// spec: 8 POST /v1/auth/otp/request: rate limits
test('sending: 429 within a minute, on every instance; of ten at once one is sent', async () => {
  nextDay();
  const before = outbox.length;
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => request(number(2), i % 2 ? api : other)),
  );
  assert.equal(answers.filter((answer) => answer.status === 202).length, 1);
  assert.equal(outbox.length, before + 1);
  clock.advance(59_000);
  const { headers } = expectProblem(await request(number(2), other), 429, 'too_many_codes');
  assert.ok(Number(headers.get('retry-after')) <= 1);
  clock.advance(1_000);
  expectStatus(await request(number(2)), 202);
});

test('sending: 429 from the eleventh in a day to one number', async () => {
  nextDay();
  for (let i = 0; i < 10; i++) {
    expectStatus(await request(number(3)), 202);
    clock.advance(minute);
  }
  const { headers } = expectProblem(await request(number(3)), 429, 'too_many_codes');
  assert.ok(Number(headers.get('retry-after')) > 3_600);
  nextDay();
  expectStatus(await request(number(3)), 202);
});

test('sending: 429 from the 51st in a day from one address, though the numbers differ', async () => {
  nextDay();
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => request(number(i * 20_000), i % 2 ? api : other)),
  );
  assert.equal(answers.filter((answer) => answer.status === 202).length, 50);
});

test('sending: 429 from the 101st in a day to one block of numbers, while others are served', async () => {
  nextDay();
  const from = (address: number) => ({ 'x-forwarded-for': `10.0.0.${address}` });
  const behind = await api.another({ sms, env: { SMS_PER_DAY: '160', TRUST_PROXY: 'loopback' } });
  const ask = (phone: string, address: number) =>
    behind.call('POST', '/v1/auth/otp/request', { body: { phone }, headers: from(address) });
  const answers = await Promise.all(
    Array.from({ length: 110 }, (_, i) => ask(number(i), Math.floor(i / 40))),
  );
  assert.equal(answers.filter((answer) => answer.status === 202).length, 100);
  expectStatus(await ask(number(5_000_000), 9), 202);
});

test('sending: 429 above SMS_PER_DAY, whoever asks', async () => {
  nextDay();
  const behind = await api.another({ sms, env: { SMS_PER_DAY: '12', TRUST_PROXY: 'loopback' } });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      behind.call('POST', '/v1/auth/otp/request', {
        body: { phone: number(i * 20_000, i % 2 ? '+4670' : '+4915') },
        headers: { 'x-forwarded-for': `10.0.1.${i}` },
      }),
    ),
  );
  assert.equal(answers.filter((answer) => answer.status === 202).length, 12);
});
