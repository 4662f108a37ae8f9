import assert from 'node:assert/strict';
import test from 'node:test';
import { createUser, nextPhone } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';

const clock = new TestClock();
const api = await startTestApp({ clock });
const otherServer = await api.startAnother();
const minute = 60_000;

const request = (phone: string) => api.post('/v1/auth/otp/request', undefined, { phone });
const verify = (phone: string, code: string, on = api) =>
  on.post('/v1/auth/otp/verify', undefined, { phone, code });
const codeFor = async (phone: string): Promise<string> =>
  expectStatus(await request(phone), 202).body.devCode;
const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

test('code: 202 with the same fields for a phone with an account and for a phone without an account', async () => {
  const known = await createUser(api);
  for (const phone of [known.phone, nextPhone()]) {
    const { body } = expectStatus(await request(phone), 202);
    assert.deepEqual(Object.keys(body).sort(), ['devCode', 'expiresIn', 'resendAfter']);
    assert.deepEqual([body.expiresIn, body.resendAfter], [300, 0]);
    assert.match(body.devCode, /^\d{6}$/);
  }
});

// spec: 5 POST /v1/auth/otp/request, POST /v1/auth/otp/verify: issue of tokens
test('sign-in: 200 with a new account for a new phone, later with the same account', async () => {
  const phone = nextPhone();
  const first = expectStatus(await verify(phone, await codeFor(phone)), 200).body;
  assert.deepEqual([first.isNewUser, first.tokenType, first.expiresIn], [true, 'Bearer', 1800]);
  assert.equal(first.user.phone, phone);
  assert.match(first.user.username, /^guest_[a-z0-9]{6}$/);
  const second = expectStatus(await verify(phone, await codeFor(phone)), 200).body;
  assert.deepEqual([second.isNewUser, second.user.id], [false, first.user.id]);
  assert.notEqual(second.accessToken, first.accessToken);
});

/** Writes a text with the digits of a script, which begin at `zero`. */
const inDigits = (text: string, zero: string) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)));

test('sign-in: 202 and 200 for a number and a code in the digits of any script', async () => {
  for (const zero of ['٠', '۰', '०', '০', '๐', '０', '𝟎']) {
    const phone = nextPhone();
    const code = await codeFor(inDigits(phone, zero));
    const { body } = expectStatus(await verify(phone, inDigits(code, zero)), 200);
    assert.equal(body.user.phone, phone, zero);
    const again = await codeFor(phone);
    const spaced = `\u200f${inDigits(again.slice(0, 3), zero)} ${again.slice(3)}`;
    expectStatus(await verify(inDigits(phone, zero), spaced), 200);
  }
});

test('sign-in: 200 with the same account for a Mexican number with and without the 1 of former mobiles', async () => {
  const code = await codeFor('+52 1 55 5550 0101');
  const { body } = expectStatus(await verify('+525555500101', code), 200);
  assert.equal(body.user.phone, '+525555500101');
  const again = await verify('+5215555500101', await codeFor('+52 55 5550 0101'));
  assert.equal(expectStatus(again, 200).body.user.id, body.user.id);
});

test('code: 400 for a code that is wrong, used, replaced by a newer code, or five minutes old', async () => {
  const phone = nextPhone();
  const old = await codeFor(phone);
  const newest = await codeFor(phone);
  if (old !== newest) expectProblem(await verify(phone, old), 400, 'wrong_code');
  expectStatus(await verify(phone, newest), 200);
  expectProblem(await verify(phone, newest), 400, 'wrong_code');
  const late = await codeFor(phone);
  clock.advance(5 * minute);
  const { body } = expectProblem(await verify(phone, late), 400, 'wrong_code');
  assert.equal(body.errors[0].path, 'code');
});

test('code: 400 for a sign-in code at account deletion and for a deletion code at sign-in', async () => {
  const person = await createUser(api);
  const signInCode = await codeFor(person.phone);
  expectProblem(await api.delete('/v1/me', person.token, { confirmCode: signInCode }), 400, 'wrong_code');
  const deletionCode = expectStatus(await api.post('/v1/me/delete-code', person.token), 202).body.devCode;
  if (deletionCode !== signInCode) expectProblem(await verify(person.phone, deletionCode), 400, 'wrong_code');
  expectStatus(await verify(person.phone, signInCode), 200);
});

// spec: 5 POST /v1/auth/otp/request, POST /v1/auth/otp/verify: issue of tokens
test('code: 429 with Retry-After after five wrong codes in 15 minutes, also for the right code and after a resend', async () => {
  const phone = nextPhone();
  const code = await codeFor(phone);
  for (let i = 0; i < 3; i++) expectProblem(await verify(phone, wrong(code)), 400, 'wrong_code');
  clock.advance(4 * minute);
  const resent = await codeFor(phone);
  for (let i = 0; i < 2; i++) expectProblem(await verify(phone, wrong(resent)), 400, 'wrong_code');
  const { headers } = expectProblem(await verify(phone, resent), 429, 'too_many_tries');
  const wait = Number(headers.get('retry-after'));
  assert.ok(wait > 600 && wait <= 660, `${wait}`);
  expectProblem(await verify(phone, await codeFor(phone), otherServer), 429, 'too_many_tries');
  // The window slides: the first three attempts expire after 15 minutes.
  clock.advance(11 * minute);
  expectStatus(await verify(phone, await codeFor(phone)), 200);
});

test('code: of fifty concurrent wrong codes on two servers five get 400 and 45 get 429', async () => {
  const phone = nextPhone();
  const code = await codeFor(phone);
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, i) => verify(phone, wrong(code), i % 2 ? api : otherServer)),
  );
  const count = (status: number) => responses.filter((response) => response.status === status).length;
  assert.deepEqual([count(400), count(429)], [5, 45]);
});

test('code: of fifty concurrent requests with the right code on two servers one opens a session', async () => {
  const phone = nextPhone();
  const code = await codeFor(phone);
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, i) => verify(phone, code, i % 2 ? api : otherServer)),
  );
  const opened = responses.filter((response) => response.status === 200);
  assert.equal(opened.length, 1);
  const [row] =
    await api.sql`select count(*)::int as sessions from sessions where user_id = ${opened[0]?.body.user.id}`;
  assert.equal(row?.sessions, 1);
  await assertCounters(api.sql);
});

test('phone: 200 with spaces, dashes, dots and brackets in the number', async () => {
  const code = await codeFor('+46 70-123 45.67');
  const { body } = expectStatus(await verify('+46(0)701234567', code), 200);
  assert.equal(body.user.phone, '+46701234567');
});

test('phone: 200 for the same number with full-width digits, Unicode dashes and direction marks', async () => {
  for (const phone of [
    '＋４６７０１２３４５６８',
    '\u202a+46 70‑123 45 68\u202c',
    ' +46 (0)70–1234568\u200b',
  ]) {
    const { body } = expectStatus(await verify('+46701234568', await codeFor(phone)), 200);
    assert.equal(body.user.phone, '+46701234568');
  }
});

test('phone: 400 naming phone for a text that is not a number in international form', async () => {
  for (const phone of [
    '',
    '12025550102',
    '+',
    '+1202555',
    '+120255501020000',
    '+1202555010a',
    '+四六七〇一二三四五六七',
    'tel:+12025550102',
    '+12025550102;ext=5',
  ]) {
    const { body } = expectProblem(await request(phone), 400, 'invalid_request');
    assert.equal(body.errors[0].path, 'phone', phone);
    expectProblem(await verify(phone, '123456'), 400, 'invalid_request');
  }
});

test('phone: 400 with the rule that a number violates', async () => {
  for (const [phone, country, rule] of [
    ['+467', undefined, 'phone_short'],
    ['070', 'SE', 'phone_short'],
    ['+467012345678901', undefined, 'phone_long'],
    ['0701234567', undefined, 'phone'],
  ]) {
    const { body } = expectProblem(
      await api.post('/v1/auth/otp/request', undefined, { phone, country }),
      400,
      'invalid_request',
    );
    assert.deepEqual([body.errors[0].path, body.errors[0].rule], ['phone', rule]);
  }
});

test('phone: 202 and 200 for a number as it is dialled in a country; 400 for a country that does not exist', async () => {
  for (const [phone, country, number] of [
    ['070-123 45 69', 'SE', '+46701234569'],
    ['0046 70 123 45 69', undefined, '+46701234569'],
    ['0170/1234567', 'DE', '+491701234567'],
    ['(202) 555-0143', 'US', '+12025550143'],
    ['+46 70 123 45 69', 'DE', '+46701234569'],
  ]) {
    const sent = await api.post('/v1/auth/otp/request', undefined, { phone, country });
    const { devCode: code } = expectStatus(sent, 202).body;
    const { body } = expectStatus(
      await api.post('/v1/auth/otp/verify', undefined, { phone, country, code }),
      200,
    );
    assert.equal(body.user.phone, number);
  }
  const unknown = { phone: '0701234567', country: 'ZZ' };
  const { body } = expectProblem(
    await api.post('/v1/auth/otp/request', undefined, unknown),
    400,
    'invalid_request',
  );
  assert.equal(body.errors[0].path, 'country');
});

test('phone: 202 for a number of DEFAULT_COUNTRY; `country` takes precedence', async () => {
  const swedish = await startTestApp({ env: { DEFAULT_COUNTRY: 'se' } });
  const requestAs = (body: object) => swedish.post('/v1/auth/otp/request', undefined, body);
  const { devCode } = expectStatus(await requestAs({ phone: '070 123 45 67' }), 202).body;
  const { body } = expectStatus(await verify('+46701234567', devCode, swedish), 200);
  assert.equal(body.user.phone, '+46701234567');
  expectStatus(await requestAs({ phone: '0170 1234567', country: 'DE' }), 202);
});

test('token: 401 for a malformed Authorization header, also where the token is optional', async () => {
  const { token } = await createUser(api);
  const headers = [
    '',
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwYXNz',
    token,
    `Bearer ${token} x`,
    `Bearer ${token}x`,
    `Bearer ${'a'.repeat(8_000)}`,
    `Bearer ${token}, Bearer ${token}`,
  ];
  for (const authorization of headers) {
    for (const path of ['/v1/events', '/v1/auth/me']) {
      const response = await api.call('GET', path, { headers: { authorization } });
      expectProblem(response, 401, 'token_invalid');
      assert.equal(response.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    }
  }
  expectStatus(await api.call('GET', '/v1/auth/me', { headers: { authorization: `bearer  ${token}` } }), 200);
});
