import assert from 'node:assert/strict';
import test from 'node:test';
import { hashContact } from '../../src/modules/accounts/codes/hashes.ts';
import type { SmsDriver } from '../../src/modules/accounts/sms/driver.ts';
import { slowTest } from '../support/all-cases.ts';
import { untilWaiting } from '../support/blocked-transactions.ts';
import { runConcurrently } from '../support/run-concurrently.ts';
import { expectProblem, expectStatus, secretKey, startTestApp, TestClock } from '../support/setup.ts';

/** An SMS driver with `delivers: true`, so that the limits apply. */
const sentMessages: { phone: string; code: string }[] = [];
const sms: SmsDriver = {
  delivers: true,
  send: async (phone, _purpose, code) => void sentMessages.push({ phone, code }),
  tellOfChange: async () => {},
  sendNotice: async () => {},
  sendTest: async () => {},
};
const clock = new TestClock();
const api = await startTestApp({ sms, clock, env: { SMS_PER_DAY: '160' } });
const other = await api.startAnother({ sms, env: { SMS_PER_DAY: '160' } });
const [minute, day] = [60_000, 86_400_000];

const requestCode = (phone: string, on = api) => on.post('/v1/auth/otp/request', undefined, { phone });
/** Counters reset at midnight UTC. Each test starts a new day. */
const startNextDay = () => clock.advance(day - (clock.now().getTime() % day) + minute);
const phoneNumber = (n: number, country = '+4670') => `${country}${String(n).padStart(7, '0')}`;

test('sending: 202 with expiresIn and resendAfter, and without a code', async () => {
  startNextDay();
  assert.deepEqual(expectStatus(await requestCode(phoneNumber(1)), 202).body, {
    expiresIn: 300,
    resendAfter: 60,
  });
  assert.equal(sentMessages.at(-1)?.phone, phoneNumber(1));
});

// spec: 8 POST /v1/auth/otp/request: rate limits
test('sending: 429 within a minute on every server; of 10 concurrent requests one message is sent', async () => {
  startNextDay();
  const before = sentMessages.length;
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, i) => requestCode(phoneNumber(2), i % 2 ? api : other)),
  );
  assert.equal(responses.filter((response) => response.status === 202).length, 1);
  assert.equal(sentMessages.length, before + 1);
  // The clock goes on while the requests are answered.
  clock.advance(30_000);
  const { headers } = expectProblem(await requestCode(phoneNumber(2), other), 429, 'too_many_codes');
  assert.ok(Number(headers.get('retry-after')) <= 30);
  clock.advance(30_000);
  expectStatus(await requestCode(phoneNumber(2)), 202);
});

test('sending: of three concurrent requests for the first code of another purpose, one message is sent; the others get 429', async () => {
  startNextDay();
  const phone = phoneNumber(9_001);
  expectStatus(await requestCode(phone), 202);
  const code = sentMessages.at(-1)?.code;
  const { body } = expectStatus(await api.post('/v1/auth/otp/verify', undefined, { phone, code }), 200);
  clock.advance(minute);
  const before = sentMessages.length;
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`select 1 from codes where contact_hash = ${hashContact(secretKey, { kind: 'phone', value: phone })} for update`;
    // A request that did not wait for the row of the sign-in would wait here, after it has read the last code.
    await tx`lock table code_sends in exclusive mode`;
    const sent = [api, other, api].map((on) => on.post('/v1/me/delete-code', body.accessToken));
    await untilWaiting(api.sql, 3);
    return { responses: Promise.all(sent) };
  });
  const statuses = (await responses).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [202, 429, 429]);
  assert.equal(sentMessages.length, before + 1);
});

test('sending: 429 from the 11th message a day to one number', async () => {
  startNextDay();
  for (let i = 0; i < 10; i++) {
    expectStatus(await requestCode(phoneNumber(3)), 202);
    clock.advance(minute);
  }
  const { headers } = expectProblem(await requestCode(phoneNumber(3)), 429, 'too_many_codes');
  assert.ok(Number(headers.get('retry-after')) > 3_600);
  startNextDay();
  expectStatus(await requestCode(phoneNumber(3)), 202);
});

test('sending: 429 from the 51st message a day from one IP address', async () => {
  startNextDay();
  const responses = await Promise.all(
    Array.from({ length: 60 }, (_, i) => requestCode(phoneNumber(i * 20_000), i % 2 ? api : other)),
  );
  assert.equal(responses.filter((response) => response.status === 202).length, 50);
});

test('sending: addresses of one IPv6 network share the limit of a day; another network has its own', async () => {
  startNextDay();
  const proxied = await api.startAnother({ sms, env: { SMS_PER_DAY: '160', TRUST_PROXY: 'loopback' } });
  const requestFrom = (n: number, address: string) =>
    proxied.call('POST', '/v1/auth/otp/request', {
      body: { phone: phoneNumber(n * 20_000) },
      headers: { 'x-forwarded-for': address },
    });
  for (let i = 0; i < 50; i++) expectStatus(await requestFrom(i, `2001:db8::${i.toString(16)}`), 202);
  expectProblem(await requestFrom(50, '2001:db8::ffff'), 429, 'too_many_codes');
  expectStatus(await requestFrom(51, '2001:db8:1::1'), 202);
});

slowTest(
  'sending: 429 from the 101st message a day from an IPv6 /56 and the 201st from a /48, on two servers',
  async () => {
    startNextDay();
    const env = { SMS_PER_DAY: '2000', TRUST_PROXY: 'loopback' };
    const servers = await Promise.all([api.startAnother({ sms, env }), api.startAnother({ sms, env })]);
    let requests = 0;
    /** @returns how many of `count` requests from different networks in `prefix` get a code */
    const sentFrom = async (prefix: string, count: number) => {
      const responses = await runConcurrently(count, 20, (i) =>
        (servers[i % 2] ?? api).call('POST', '/v1/auth/otp/request', {
          body: { phone: phoneNumber(requests++ * 20_000, i % 3 ? '+4670' : '+4915') },
          headers: { 'x-forwarded-for': `2001:db8:${prefix}${(i % 256).toString(16).padStart(2, '0')}::1` },
        }),
      );
      return responses.filter(({ status }) => status === 202).length;
    };
    assert.equal(await sentFrom('5:1', 120), 100);
    assert.equal(await sentFrom('5:2', 120), 100);
    assert.equal(await sentFrom('5:3', 20), 0);
    assert.equal(await sentFrom('6:1', 20), 20);
  },
);

test('sending: 429 from the 101st message a day to one block of numbers; 202 for other blocks', async () => {
  startNextDay();
  const forwardedFrom = (address: number) => ({ 'x-forwarded-for': `10.0.0.${address}` });
  const proxied = await api.startAnother({ sms, env: { SMS_PER_DAY: '160', TRUST_PROXY: 'loopback' } });
  const requestFrom = (phone: string, address: number) =>
    proxied.call('POST', '/v1/auth/otp/request', { body: { phone }, headers: forwardedFrom(address) });
  const responses = await runConcurrently(110, 20, (i) => requestFrom(phoneNumber(i), Math.floor(i / 40)));
  assert.equal(responses.filter((response) => response.status === 202).length, 100);
  expectStatus(await requestFrom(phoneNumber(5_000_000), 9), 202);
});

test('sending: 429 above four fifths of SMS_PER_DAY for any number and address; 202 for known networks and devices up to all of it', async () => {
  startNextDay();
  const env = { SMS_PER_DAY: '12', TRUST_PROXY: 'loopback' };
  const servers = await Promise.all([api.startAnother({ sms, env }), api.startAnother({ sms, env })]);
  const call = (n: number, path: string, from: string, body: object) =>
    (servers[n % 2] ?? api).call('POST', path, { body, headers: { 'x-forwarded-for': from } });
  const request = (n: number, phone: string, from: string, more = {}) =>
    call(n, '/v1/auth/otp/request', from, { phone, ...more });
  const known = phoneNumber(9_500_000);
  expectStatus(await request(0, known, '203.0.113.9'), 202);
  const code = sentMessages.at(-1)?.code;
  const { body } = await call(0, '/v1/auth/otp/verify', '203.0.113.9', { phone: known, code });
  const strangers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      request(i, phoneNumber(i * 20_000, i % 2 ? '+4670' : '+4915'), `10.0.1.${i}`),
    ),
  );
  assert.equal(strangers.filter(({ status }) => status === 202).length, 8);
  const { deviceToken } = body;
  for (const [from, more, status] of [
    ['203.0.113.9', {}, 202],
    ['10.0.2.1', { deviceToken }, 202],
    ['203.0.113.9', {}, 202],
    ['10.0.2.1', { deviceToken }, 429],
  ] as const) {
    clock.advance(minute);
    expectStatus(await request(1, known, from, more), status);
  }
});

test('sending: 202 and 200 to a client whose connection has no address any more, and no network is known then', async () => {
  startNextDay();
  const gone = await api.startAnother({ sms, env: { SMS_PER_DAY: '160', RATE_LIMIT: '100' } });
  gone.app.server.on('connection', (socket) =>
    Object.defineProperty(socket, 'remoteAddress', { value: undefined }),
  );
  const known = async () => (await api.sql`select 1 from known_networks`).length;
  const before = await known();
  const phone = phoneNumber(9_600_000);
  expectStatus(await requestCode(phone, gone), 202);
  const code = sentMessages.at(-1)?.code;
  const { body } = expectStatus(await gone.post('/v1/auth/otp/verify', undefined, { phone, code }), 200);
  expectStatus(await gone.get('/v1/events', body.accessToken), 200);
  assert.equal(await known(), before);
});
