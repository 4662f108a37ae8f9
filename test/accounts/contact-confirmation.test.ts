/** What a stolen session cannot do: change the contacts of the account, and delete the account with a new contact. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { untilWaiting } from '../support/blocked-transactions.ts';
import {
  addAddress,
  createUser,
  deleteAccount,
  nextAddress,
  nextPhone,
  type Person,
  requestMail,
  signIn,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { type Api, expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';

const clock = new TestClock();
const api = await startTestApp({ clock, env: { DEV_CODES: 'on' } });
const second = await api.startAnother();
const [minuteMs, dayMs] = [60_000, 86_400_000];

/** A person whose session began more than ten minutes ago. */
async function createUserOfOldSession(): Promise<Person> {
  const person = await createUser(api);
  clock.advance(10 * minuteMs);
  return person;
}

/** Requests a code for a new address. Returns the code. */
async function requestAddress({ token }: Person, email = nextAddress()): Promise<string> {
  const sent = await api.call('PUT', '/v1/me/email', { token, body: { email } });
  return expectStatus(sent, 202).body.devCode;
}
const verify = (person: Person, body: object, on: Api = api) =>
  on.post('/v1/me/email/verify', person.token, body);
async function requestConfirmation({ token }: Person, to: 'phone' | 'email' = 'phone'): Promise<string> {
  const sent = expectStatus(await api.post('/v1/me/contact-code', token, { to }), 202).body;
  return sent.devCode ?? api.sent.findLast(({ purpose }) => purpose === 'change_contact')?.code;
}
const addressOf = async ({ token }: Person) =>
  expectStatus(await second.get('/v1/auth/me', token), 200).body.email;
const otherThan = (...codes: string[]): string =>
  ['000000', '000001', '000002'].find((code) => !codes.includes(code)) ?? '';

// spec: 4.7 POST /v1/me/contact-code: the code that confirms a change of contacts
test('contact: 403 confirmation_required in a session of ten minutes; 200 with a code of the former contact', async () => {
  const person = await createUserOfOldSession();
  const email = nextAddress();
  const code = await requestAddress(person, email);
  expectProblem(await verify(person, { code }), 403, 'confirmation_required');
  const confirmCode = await requestConfirmation(person);
  assert.equal(api.sent.at(-1)?.phone, person.phone);
  const wrong = await verify(person, { code, confirmCode: otherThan(confirmCode, code) });
  expectProblem(wrong, 400, 'wrong_code');
  assert.deepEqual(
    wrong.body.errors.map(({ path }: { path: string }) => path),
    ['confirmCode'],
  );
  assert.equal(await addressOf(person), null);
  expectStatus(await verify(person, { code, confirmCode }), 200);
  assert.equal(await addressOf(person), email);
  const again = await api.delete(`/v1/me/phone?confirmCode=${confirmCode}`, person.token);
  expectProblem(again, 400, 'wrong_code');
  await assertCounters(api.sql);
});

test('contact: a refresh of the tokens does not make the session newer; a sign-in needs no code', async () => {
  const person = await createUserOfOldSession();
  const { refreshToken } = person;
  const { body } = expectStatus(await api.post('/v1/auth/refresh', undefined, { refreshToken }), 200);
  const refreshed = { ...person, token: body.accessToken };
  const code = await requestAddress(refreshed);
  expectProblem(await verify(refreshed, { code }), 403, 'confirmation_required');
  expectStatus(await verify(await signIn(api, person.phone), { code }), 200);
});

test('removal: 403 confirmation_required in a session of ten minutes, also of what the account does not have', async () => {
  const person = await createUser(api);
  const email = await addAddress(api, person);
  clock.advance(10 * minuteMs);
  for (const kind of ['phone', 'email', 'oidc'])
    expectProblem(await api.delete(`/v1/me/${kind}`, person.token), 403, 'confirmation_required');
  const confirmCode = await requestConfirmation(person, 'email');
  const removed = await api.delete(`/v1/me/phone?confirmCode=${confirmCode}`, person.token);
  assert.deepEqual([expectStatus(removed, 200).body.phone, removed.body.email], [null, email]);
  // The code is used up.
  const again = await api.delete(`/v1/me/phone?confirmCode=${confirmCode}`, person.token);
  expectProblem(again, 400, 'wrong_code');
  await assertCounters(api.sql);
});

test('removal: a 409 last_sign_in does not use up the code', async () => {
  const person = await createUserOfOldSession();
  const confirmCode = await requestConfirmation(person);
  for (let i = 0; i < 2; i++)
    expectProblem(
      await api.delete(`/v1/me/phone?confirmCode=${confirmCode}`, person.token),
      409,
      'last_sign_in',
    );
});

test('contact: neither the code of the new contact nor one of another purpose confirms a change', async () => {
  const person = await createUserOfOldSession();
  const code = await requestAddress(person);
  const { devCode: deletion } = expectStatus(await api.post('/v1/me/delete-code', person.token), 202).body;
  clock.advance(minuteMs);
  const { devCode: entry } = expectStatus(
    await api.post('/v1/auth/otp/request', undefined, { phone: person.phone }),
    202,
  ).body;
  clock.advance(minuteMs);
  const confirmCode = await requestConfirmation(person);
  for (const other of [code, deletion, entry])
    if (other !== confirmCode)
      expectProblem(await verify(person, { code, confirmCode: other }), 400, 'wrong_code');
  expectProblem(
    await api.delete('/v1/me', person.token, { confirmCode: confirmCode === deletion ? '' : confirmCode }),
    400,
    'wrong_code',
  );
  expectStatus(await verify(person, { code, confirmCode }), 200);
});

test('contact: of two codes, a wrong one leaves the other one valid', async () => {
  const person = await createUserOfOldSession();
  const [code, confirmCode] = [await requestAddress(person), await requestConfirmation(person)];
  const wrong = otherThan(code, confirmCode);
  for (const body of [
    { code: wrong, confirmCode },
    { code, confirmCode: wrong },
  ])
    expectProblem(await verify(person, body), 400, 'wrong_code');
  expectStatus(await verify(person, { code, confirmCode }), 200);
});

test('contact: 429 after five wrong codes of the former contact, also for the right one', async () => {
  const person = await createUserOfOldSession();
  const [code, confirmCode] = [await requestAddress(person), await requestConfirmation(person)];
  const body = { code, confirmCode: otherThan(confirmCode) };
  for (let i = 0; i < 5; i++) expectProblem(await verify(person, body), 400, 'wrong_code');
  expectProblem(await verify(person, { code, confirmCode }, second), 429, 'too_many_tries');
});

test('contact: the code is that of the contact that was asked last; 400 for one that the account does not have', async () => {
  const person = await createUser(api);
  expectProblem(await api.post('/v1/me/contact-code', person.token, { to: 'email' }), 400, 'invalid_request');
  await addAddress(api, person);
  clock.advance(10 * minuteMs);
  const byPhone = await requestConfirmation(person, 'phone');
  clock.advance(1);
  const byMail = await requestConfirmation(person, 'email');
  const remove = (code: string) => api.delete(`/v1/me/email?confirmCode=${code}`, person.token);
  if (byPhone !== byMail) expectProblem(await remove(byPhone), 400, 'wrong_code');
  expectStatus(await remove(byMail), 200);
});

test('deletion: 403 contact_too_new while each contact was added in the last day, and 200 after it', async () => {
  const person = await createUser(api);
  const phone = nextPhone();
  const sent = await api.call('PUT', '/v1/me/phone', { token: person.token, body: { phone } });
  const { devCode: code } = expectStatus(sent, 202).body;
  // The code of the former number does not help, because it was requested before the change.
  const { devCode } = expectStatus(await api.post('/v1/me/delete-code', person.token), 202).body;
  expectStatus(await api.post('/v1/me/phone/verify', person.token, { code }), 200);
  expectProblem(await api.post('/v1/me/delete-code', person.token), 403, 'contact_too_new');
  expectProblem(await api.delete('/v1/me', person.token, { confirmCode: devCode }), 403, 'contact_too_new');
  clock.advance(dayMs - minuteMs);
  const early = await signIn(api, phone);
  expectProblem(await second.post('/v1/me/delete-code', early.token), 403, 'contact_too_new');
  clock.advance(minuteMs);
  expectStatus(await deleteAccount(api, { ...early, phone }), 200);
  await assertCounters(api.sql);
});

test('deletion: 200 with the contact that the account has had longer, and with that of a new account', async () => {
  const email = nextAddress();
  const { devCode: code } = await requestMail(api, email);
  const { body } = expectStatus(await api.post('/v1/auth/email/verify', undefined, { email, code }), 200);
  const person = { ...(await createUser(api)), token: body.accessToken };
  const phone = nextPhone();
  const sent = await api.call('PUT', '/v1/me/phone', { token: person.token, body: { phone } });
  expectStatus(await api.post('/v1/me/phone/verify', person.token, { code: sent.body.devCode }), 200);
  expectStatus(await deleteAccount(api, person), 200);
  assert.ok(!api.sent.some((message) => message.phone === phone && message.purpose === 'delete_account'));
  expectStatus(await deleteAccount(api, await createUser(api)), 200);
  await assertCounters(api.sql);
});

test('deletion: 403 contact_too_new for a contact that was removed and added again', async () => {
  const person = await createUser(api);
  await addAddress(api, person);
  expectStatus(await api.delete('/v1/me/phone', person.token), 200);
  const sent = await api.call('PUT', '/v1/me/phone', { token: person.token, body: { phone: person.phone } });
  expectStatus(await api.post('/v1/me/phone/verify', person.token, { code: sent.body.devCode }), 200);
  expectProblem(await api.post('/v1/me/delete-code', person.token), 403, 'contact_too_new');
});

test('race: of two changes with one code on two servers, one succeeds', async () => {
  const person = await createUserOfOldSession();
  const [code, confirmCode] = [await requestAddress(person), await requestConfirmation(person)];
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`select 1 from users where id = ${person.id} for update`;
    const sent = [verify(person, { code, confirmCode }), verify(person, { code, confirmCode }, second)];
    await untilWaiting(api.sql, 2);
    return { responses: Promise.all(sent) };
  });
  const statuses = (await responses).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 400]);
  await assertCounters(api.sql);
});

test('race: a change waits for one that removes the contact whose code it has, and is refused', async () => {
  const person = await createUser(api);
  await addAddress(api, person);
  clock.advance(10 * minuteMs);
  const [later, confirmCode] = [await requestAddress(person), await requestConfirmation(person, 'email')];
  const fresh = await signIn(api, person.phone);
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`select 1 from users where id = ${person.id} for update`;
    const removing = api.delete('/v1/me/email', fresh.token);
    await untilWaiting(api.sql, 1);
    const changing = verify(person, { code: later, confirmCode }, second);
    await untilWaiting(api.sql, 2);
    return { responses: Promise.all([removing, changing]) };
  });
  const [removed, changed] = await responses;
  expectStatus(removed, 200);
  expectProblem(changed, 400, 'wrong_code');
  await assertCounters(api.sql);
});
