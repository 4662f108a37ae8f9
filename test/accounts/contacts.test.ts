/** The phone number and the mail address of an account: changes, and races of them on two servers. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deleteExpiredContactChanges } from '../../src/modules/accounts/contacts/contact-changes.ts';
import { SmsFailure } from '../../src/modules/accounts/sms/failure.ts';
import { untilWaiting } from '../support/blocked-transactions.ts';
import {
  addAddress,
  createAdmin,
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
const api = await startTestApp({ clock, env: { TRUST_PROXY: 'loopback', DEV_CODES: 'on' } });
const second = await api.startAnother();
type Kind = 'phone' | 'email';

/** Requests a code for a new contact, from a network of the person. Returns the code. */
async function request(
  { token }: Person,
  kind: Kind,
  contact: string,
  address = '192.0.2.1',
): Promise<string> {
  const headers = { 'x-forwarded-for': address };
  const sent = await api.call('PUT', `/v1/me/${kind}`, { token, body: { [kind]: contact }, headers });
  return expectStatus(sent, 202).body.devCode;
}
const verify = (on: Api, { token }: Person, kind: Kind, code: string, address = '192.0.2.1', more = {}) =>
  on.call('POST', `/v1/me/${kind}/verify`, {
    token,
    body: { code, ...more },
    headers: { 'x-forwarded-for': address },
  });
const meOf = async ({ token }: Person) => expectStatus(await second.get('/v1/auth/me', token), 200).body;
const signInByMail = async (email: string) => {
  const { devCode: code } = await requestMail(api, email);
  return expectStatus(await api.post('/v1/auth/email/verify', undefined, { email, code }), 200).body;
};
const auditOf = async ({ token }: Person): Promise<string[]> =>
  expectStatus(await api.get('/v1/me/export', token), 200).body.audit.map(
    ({ what, detail }: { what: string; detail: string }) => `${what} ${detail}`.trim(),
  );

// spec: 4.7 PUT /v1/me/email, POST /v1/me/email/verify: the mail address of the account
test('address: 200 once its code is entered; both contacts then sign in to the account', async () => {
  const person = await createUser(api);
  const email = nextAddress();
  const code = await request(person, 'email', email);
  assert.equal((await meOf(person)).email, null);
  expectProblem(
    await verify(api, person, 'email', code === '000000' ? '000001' : '000000'),
    400,
    'wrong_code',
  );
  assert.equal(expectStatus(await verify(second, person, 'email', code), 200).body.email, email);
  expectProblem(await verify(api, person, 'email', code), 400, 'wrong_code');
  assert.equal((await signInByMail(email.toUpperCase())).user.id, person.id);
  assert.equal((await signIn(api, person.phone)).id, person.id);
  assert.deepEqual(await auditOf(person), [
    'account_created',
    'contact_changed email',
    'signed_in',
    'signed_in',
  ]);
  await assertCounters(api.sql);
});

// spec: 4.7 PUT /v1/me/phone, POST /v1/me/phone/verify: the phone number of the account
test('number: 200 replaces it; the old one creates a new account, and keeps nothing of the person', async () => {
  const person = await createUser(api);
  const phone = nextPhone();
  const code = await request(person, 'phone', phone);
  assert.equal(expectStatus(await verify(api, person, 'phone', code), 200).body.phone, phone);
  assert.equal((await signIn(api, phone)).id, person.id);
  assert.notEqual((await signIn(api, person.phone)).id, person.id);
  await assertCounters(api.sql);
});

test('contact: a change leaves no codes and known networks of the contact that it replaces', async () => {
  const person = await createUser(api);
  const rows = () => api.sql`
    select (select count(*)::int from codes) as codes, (select count(*)::int from known_networks) as networks`;
  const [before] = await rows();
  const code = await request(person, 'phone', nextPhone());
  expectStatus(await verify(api, person, 'phone', code), 200);
  const [after] = await rows();
  assert.deepEqual(after, { codes: before?.codes, networks: before?.networks - 1 });
});

test('contact: 409 contact_taken if another account has it, and 202 when the code is requested', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  const email = await addAddress(api, other);
  for (const [kind, contact] of [
    ['email', email.toUpperCase()],
    ['phone', other.phone],
  ] as const) {
    const code = await request(person, kind, contact);
    expectProblem(await verify(api, person, kind, code), 409, 'contact_taken');
  }
  assert.deepEqual([(await meOf(person)).email, (await meOf(other)).email], [null, email]);
  await assertCounters(api.sql);
});

test('address: 200 for another spelling of the own one', async () => {
  const person = await createUser(api);
  const email = await addAddress(api, person);
  const code = await request(person, 'email', email.toUpperCase());
  assert.equal(expectStatus(await verify(api, person, 'email', code), 200).body.email, email);
  assert.equal((await signInByMail(email)).user.id, person.id);
  await assertCounters(api.sql);
});

test('contact: 400 for the code of a contact that a newer request has replaced, and without a request', async () => {
  const person = await createUser(api);
  expectProblem(await verify(api, person, 'email', '123456'), 400, 'wrong_code');
  const old = await request(person, 'email', nextAddress());
  const code = await request(person, 'email', nextAddress());
  if (old !== code) expectProblem(await verify(api, person, 'email', old), 400, 'wrong_code');
  expectStatus(await verify(api, person, 'email', code), 200);
});

test('contact: a refused confirmation uses up its code', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  const email = nextAddress();
  const code = await request(person, 'email', email);
  const taken = await request(other, 'email', email, '198.51.100.1');
  expectStatus(await verify(api, other, 'email', taken, '198.51.100.1'), 200);
  expectProblem(await verify(api, person, 'email', code), 409, 'contact_taken');
  expectProblem(await verify(api, person, 'email', code), 400, 'wrong_code');
});

test('number: what was recorded about a former number stays with the account, and not with its next owner', async () => {
  const person = await createUser(api);
  const [former, phone] = [person.phone, nextPhone()];
  const wrong = { phone: former, code: '000000' };
  expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone: former }), 202);
  for (let i = 0; i < 6; i++) await api.post('/v1/auth/otp/verify', undefined, wrong);
  assert.ok((await auditOf(person)).includes('sign_in_locked'));
  const code = await request(person, 'phone', phone);
  expectStatus(await verify(api, person, 'phone', code), 200);
  assert.ok((await auditOf(person)).includes('sign_in_locked'));
  const next = await signIn(api, former);
  assert.notEqual(next.id, person.id);
  assert.ok(!(await auditOf(next)).includes('sign_in_locked'));
  clock.advance(86_400_000);
  expectStatus(await deleteAccount(api, await signIn(api, phone)), 200);
  assert.deepEqual([...(await api.sql`select 1 from audit where user_id = ${person.id}`)], []);
});

test('contact: 429 after five wrong codes, also for the right one', async () => {
  const person = await createUser(api);
  const code = await request(person, 'email', nextAddress());
  const wrong = code === '000000' ? '000001' : '000000';
  for (let i = 0; i < 5; i++) expectProblem(await verify(api, person, 'email', wrong), 400, 'wrong_code');
  expectProblem(await verify(second, person, 'email', code), 429, 'too_many_tries');
});

test('contact: a code of a sign-in confirms nothing, and the code of a contact signs nobody in', async () => {
  const person = await createUser(api);
  const email = nextAddress();
  const code = await request(person, 'email', email);
  expectProblem(await api.post('/v1/auth/email/verify', undefined, { email, code }), 400, 'wrong_code');
  const { devCode } = await requestMail(api, email);
  if (devCode !== code) expectProblem(await verify(api, person, 'email', devCode), 400, 'wrong_code');
});

// spec: 4.7 DELETE /v1/me/email, DELETE /v1/me/phone: removal of a contact
test('removal: 200 while another way to sign in is left; 409 last_sign_in for the last one', async () => {
  const person = await createUser(api);
  const remove = (kind: Kind, on: Api = api) => on.delete(`/v1/me/${kind}`, person.token);
  expectProblem(await remove('phone'), 409, 'last_sign_in');
  assert.equal(expectStatus(await remove('email'), 200).body.email, null);
  const email = await addAddress(api, person);
  // This server has no sign-in by mail.
  const byPhone = await api.startAnother({ env: { SIGN_IN: 'phone' } });
  expectProblem(await remove('phone', byPhone), 409, 'last_sign_in');
  assert.equal(expectStatus(await remove('phone'), 200).body.phone, null);
  expectProblem(await remove('email'), 409, 'last_sign_in');
  assert.equal((await signInByMail(email)).user.id, person.id);
  assert.deepEqual((await auditOf(person)).slice(1, 3), ['contact_changed email', 'contact_removed phone']);
  await assertCounters(api.sql);
});

test('sessions: a change ends the other sessions on all servers on request, and otherwise none', async () => {
  const person = await createUser(api);
  const other = await signIn(api, person.phone);
  const kept = await request(person, 'email', nextAddress());
  expectStatus(await verify(api, person, 'email', kept), 200);
  assert.equal((await meOf(other)).id, person.id);
  const code = await request(person, 'email', nextAddress());
  const ending = await verify(api, person, 'email', code, '192.0.2.1', { endOtherSessions: true });
  expectStatus(ending, 200);
  for (const on of [api, second])
    expectProblem(await on.get('/v1/auth/me', other.token), 401, 'token_invalid');
  assert.equal((await meOf(person)).id, person.id);
  const third = await signIn(api, person.phone);
  expectStatus(await api.delete('/v1/me/email?endOtherSessions=true', person.token), 200);
  expectProblem(await second.get('/v1/auth/me', third.token), 401, 'token_invalid');
});

test('told: the former number or address; where there was none, the other contact; never the new one', async () => {
  const person = await createUser(api);
  const texted = () =>
    api.sent.filter(({ purpose }) => purpose === 'contact_changed').map(({ phone }) => phone);
  const mailed = () => api.sql`
    select address from mails where user_id = ${person.id} and kind = 'contact_changed' order by id`;
  const before = texted().length;
  const first = await addAddress(api, person);
  assert.deepEqual([texted().slice(before), await mailed()], [[person.phone], []]);
  const second = nextAddress();
  const code = await request(person, 'email', second);
  expectStatus(await verify(api, person, 'email', code), 200);
  const phone = nextPhone();
  const phoneCode = await request(person, 'phone', phone);
  expectStatus(await verify(api, person, 'phone', phoneCode), 200);
  assert.deepEqual(texted().slice(before), [person.phone, person.phone]);
  const again = await request(person, 'email', second.toUpperCase());
  expectStatus(await verify(api, person, 'email', again), 200);
  expectStatus(await api.delete('/v1/me/phone', person.token), 200);
  assert.deepEqual(texted().slice(before), [person.phone, person.phone, phone]);
  const third = nextPhone();
  const added = await request(person, 'phone', third);
  expectStatus(await verify(api, person, 'phone', added), 200);
  assert.deepEqual(
    (await mailed()).map(({ address }) => address),
    [first, second],
  );
});

test('told: texts of changes count as those with codes do, and above a limit none is sent', async () => {
  const texts: string[] = [];
  const limited = await api.startAnother({
    sms: {
      delivers: true,
      send: async () => {},
      sendNotice: async () => {},
      tellOfChange: async (phone) => void texts.push(phone),
      sendTest: async () => {},
    },
  });
  const person = await createUser(api);
  // The number gets a notice of each new address, and each address one of its removal.
  for (let i = 0; i < 15; i++) {
    const code = await request(person, 'email', nextAddress(), `192.0.2.${i}`);
    expectStatus(await verify(limited, person, 'email', code, `192.0.2.${i}`), 200);
    expectStatus(await api.delete('/v1/me/email', person.token), 200);
  }
  assert.deepEqual(texts, Array(13).fill(person.phone));
});

test('told: a text message that fails changes nothing of the response', async () => {
  const failing = await api.startAnother({
    sms: {
      delivers: false,
      send: async () => {},
      sendNotice: async () => {},
      tellOfChange: async () => {
        throw new SmsFailure('unreachable', { status: undefined, code: 'ECONNREFUSED' });
      },
      sendTest: async () => {},
    },
  });
  const person = await createUser(api);
  const email = nextAddress();
  const code = await request(person, 'email', email);
  assert.equal(expectStatus(await verify(failing, person, 'email', code), 200).body.email, email);
});

test('deletion: the code goes to the number, also if the account has an address; nothing of both remains', async () => {
  const person = await createUser(api);
  const email = await addAddress(api, person);
  expectStatus(await deleteAccount(api, person), 200);
  assert.equal(api.sent.findLast(({ purpose }) => purpose === 'delete_account')?.phone, person.phone);
  assert.notEqual((await signInByMail(email)).user.id, person.id);
  await assertCounters(api.sql);
});

test('deletion: where nobody signs in by phone, the code goes to the address of an account with both', async () => {
  const byMail = await api.startAnother({ env: { SIGN_IN: 'email' } });
  const person = await createUser(api);
  await addAddress(api, person);
  clock.advance(86_400_000);
  const count = () => byMail.sent.filter(({ phone }) => phone === person.phone).length;
  const before = count();
  expectStatus(await deleteAccount(byMail, await signIn(api, person.phone)), 200);
  assert.equal(count(), before);
});

test('admin: 200 with both contacts, found by the address in any spelling', async () => {
  const [admin, person] = [await createAdmin(api), await createUser(api)];
  const email = await addAddress(api, person);
  const find = (query: string) => api.get(`/v1/admin/users?${query}`, admin.token);
  const { body } = expectStatus(await find(`email=${encodeURIComponent(email.toUpperCase())}`), 200);
  assert.deepEqual(
    body.data.map((account: Person & { email: string }) => [account.id, account.phone, account.email]),
    [[person.id, person.phone, email]],
  );
  expectProblem(await find('email=nobody'), 400, 'invalid_request');
});

test('race: of two accounts that confirm the same address on two servers, one gets it', async () => {
  const [a, b] = [await createUser(api), await createUser(api)];
  const email = nextAddress();
  const codes = [await request(a, 'email', email), await request(b, 'email', email, '198.51.100.1')];
  const { responses } = await api.sql.begin(async (tx) => {
    // The first confirmation waits for the row, and the second for the first.
    await tx`insert into contacts values (${email.toLowerCase()}, ${crypto.randomUUID()})`;
    const sent = [
      verify(api, a, 'email', codes[0] ?? ''),
      verify(second, b, 'email', codes[1] ?? '', '198.51.100.1'),
    ];
    await untilWaiting(api.sql, 2);
    await tx`delete from contacts where contact = ${email.toLowerCase()}`;
    return { responses: Promise.all(sent) };
  });
  const statuses = (await responses).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 409]);
  assert.deepEqual([(await meOf(a)).email, (await meOf(b)).email].toSorted(), [email, null].toSorted());
  await assertCounters(api.sql);
});

test('race: two addresses of one account that are confirmed on two servers: the later one stays', async () => {
  const person = await createUser(api);
  const [first, later] = [nextAddress(), nextAddress()];
  const firstCode = await request(person, 'email', first);
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`insert into contacts values (${first.toLowerCase()}, ${crypto.randomUUID()})`;
    const confirming = verify(api, person, 'email', firstCode);
    await untilWaiting(api.sql, 1);
    const laterCode = await request(person, 'email', later);
    const sent = [confirming, verify(second, person, 'email', laterCode)];
    await untilWaiting(api.sql, 2);
    await tx`delete from contacts where contact = ${first.toLowerCase()}`;
    return { responses: Promise.all(sent) };
  });
  for (const response of await responses) expectStatus(response, 200);
  assert.equal((await meOf(person)).email, later);
  assert.notEqual((await signInByMail(first)).user.id, person.id);
  await assertCounters(api.sql);
});

test('race: both contacts are removed on two servers at the same time: one stays', async () => {
  const person = await createUser(api);
  await addAddress(api, person);
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`select 1 from users where id = ${person.id} for update`;
    const sent = [api.delete('/v1/me/phone', person.token), second.delete('/v1/me/email', person.token)];
    await untilWaiting(api.sql, 2);
    return { responses: Promise.all(sent) };
  });
  const statuses = (await responses).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, 409]);
  await assertCounters(api.sql);
});

test('race: a change and the deletion of the account on two servers: no row remains', async () => {
  const person = await createUser(api);
  const email = nextAddress();
  const code = await request(person, 'email', email);
  const { body } = expectStatus(await api.post('/v1/me/delete-code', person.token), 202);
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`insert into contacts values (${email.toLowerCase()}, ${crypto.randomUUID()})`;
    const sent = [verify(api, person, 'email', code)];
    await untilWaiting(api.sql, 1);
    sent.push(second.delete('/v1/me', person.token, { confirmCode: body.devCode }));
    await untilWaiting(api.sql, 2);
    await tx`delete from contacts where contact = ${email.toLowerCase()}`;
    return { responses: Promise.all(sent) };
  });
  for (const response of await responses) expectStatus(response, 200);
  assert.deepEqual([...(await api.sql`select 1 from contacts where user_id = ${person.id}`)], []);
  await assertCounters(api.sql);
});

test('race: a sign-in with the address that a change replaces waits for it, and its code is void', async () => {
  const person = await createUser(api);
  const old = await addAddress(api, person);
  const email = nextAddress();
  const code = await request(person, 'email', email);
  const { devCode } = await requestMail(api, old);
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`select 1 from users where id = ${person.id} for update`;
    const changing = verify(api, person, 'email', code);
    await untilWaiting(api.sql, 1);
    const signingIn = second.post('/v1/auth/email/verify', undefined, { email: old, code: devCode });
    await untilWaiting(api.sql, 2);
    return { responses: Promise.all([changing, signingIn]) };
  });
  const [changed, signedIn] = await responses;
  expectStatus(changed, 200);
  // The change has deleted the codes of the old address.
  expectProblem(signedIn, 400, 'wrong_code');
  assert.notEqual((await signInByMail(old)).user.id, person.id);
  await assertCounters(api.sql);
});

test('sweep: a contact that is not confirmed within a day is forgotten', async () => {
  const person = await createUser(api);
  await request(person, 'email', nextAddress());
  const changes = () => api.sql`select 1 from contact_changes where user_id = ${person.id}`;
  await deleteExpiredContactChanges(api.sql, clock.now());
  assert.equal((await changes()).length, 1);
  clock.advance(86_400_000);
  await deleteExpiredContactChanges(api.sql, clock.now());
  assert.equal((await changes()).length, 0);
});
