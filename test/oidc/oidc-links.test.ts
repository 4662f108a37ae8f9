/** Identities in the settings of an account: linking, unlinking, export and deletion, and races of them on two servers. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { untilWaiting } from '../support/blocked-transactions.ts';
import {
  addAddress,
  createUser,
  fromPage,
  nextAddress,
  nextPhone,
  signInBrowser,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { OidcProvider } from '../support/oidc-stub.ts';
import { type Api, expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';
import { Browser, newAccount } from './oidc-browser.ts';

const { provider, close } = await OidcProvider.open();
after(close);
const clock = new TestClock();
const api = await startTestApp({ clock, env: provider.env() });
const second = await api.startAnother();
const visitor = () => new Browser(provider);
const keyOf = (sub: string) => `${provider.url}/ ${sub}`;
const unlink = (browser: Browser, on: Api = api, query = '') =>
  browser.send(on, 'DELETE', `/v1/me/oidc${query}`);
const meOf = async (browser: Browser) =>
  expectStatus(await browser.send(second, 'GET', '/v1/auth/me'), 200).body;

/** A browser that is signed in by phone. */
async function signedIn(phone = nextPhone()): Promise<Browser & { phone: string }> {
  const browser = visitor();
  browser.keep(await signInBrowser(api, phone));
  return Object.assign(browser, { phone });
}

// spec: 4.7 POST /v1/me/oidc, DELETE /v1/me/oidc: the identity of the account
test('link: 200 for the identity of a signed-in person, also with another address; it then signs in', async () => {
  const browser = await signedIn();
  const person = newAccount(nextAddress());
  const before = api.sent.length;
  const { body, headers } = expectStatus(await browser.link(api, person), 200);
  assert.deepEqual([body.user.oidc, body.user.email, body.isNewUser], [keyOf(person.sub), null, false]);
  assert.doesNotMatch(headers.getSetCookie().join(), /potluck-\d+=/);
  assert.deepEqual(
    api.sent.slice(before).map(({ phone, purpose }) => [phone, purpose]),
    [[browser.phone, 'contact_changed']],
  );
  assert.equal((await visitor().signIn(second, person)).user.id, body.user.id);
  await assertCounters(api.sql);
});

test('link: 200 replaces the former identity, which creates a new account from then on; again for the same one', async () => {
  const browser = await signedIn();
  const [first, next] = [newAccount(), newAccount()];
  for (const person of [first, first, next]) expectStatus(await browser.link(api, person), 200);
  const me = await meOf(browser);
  assert.equal(me.oidc, keyOf(next.sub));
  assert.notEqual((await visitor().signIn(api, first)).user.id, me.id);
  await assertCounters(api.sql);
});

test('link: 409 contact_taken for the identity of another account', async () => {
  const person = newAccount();
  const { user } = await visitor().signIn(api, person);
  const browser = await signedIn();
  expectProblem(await browser.link(api, person), 409, 'contact_taken');
  assert.equal((await meOf(browser)).oidc, null);
  assert.equal((await visitor().signIn(api, person)).user.id, user.id);
  await assertCounters(api.sql);
});

test('link: 401 if the session has ended meanwhile, and 401 to begin without one', async () => {
  const browser = await signedIn();
  const response = await browser.begin(api, newAccount(), '/v1/me/oidc');
  const { cookie } = browser;
  expectStatus(await browser.send(second, 'POST', '/v1/auth/logout'), 200);
  const headers = { ...fromPage, cookie };
  const finished = await api.call('POST', '/v1/auth/oidc/finish', { body: response, headers });
  expectProblem(finished, 401, 'token_invalid');
  expectProblem(await visitor().send(api, 'POST', '/v1/me/oidc', {}), 401, 'token_missing');
});

test('link: 403 confirmation_required to begin in a session of ten minutes; 200 with a code, and so for unlink', async () => {
  const browser = await signedIn();
  clock.advance(10 * 60_000);
  const begin = (confirmCode?: string) => browser.send(api, 'POST', '/v1/me/oidc', { confirmCode });
  const refused = expectProblem(await begin(), 403, 'confirmation_required');
  assert.deepEqual(refused.headers.getSetCookie(), []);
  const askForCode = async (): Promise<string> =>
    expectStatus(await browser.send(api, 'POST', '/v1/me/contact-code', { to: 'phone' }), 202).body.devCode;
  const confirmCode = await askForCode();
  expectProblem(await begin(confirmCode === '000000' ? '000001' : '000000'), 400, 'wrong_code');
  const { url } = expectStatus(await begin(confirmCode), 200).body;
  expectProblem(await begin(confirmCode), 400, 'wrong_code');
  const person = newAccount();
  expectStatus(await browser.finish(api, await provider.authorize(url, person)), 200);
  assert.equal((await meOf(browser)).oidc, keyOf(person.sub));
  expectProblem(await unlink(browser), 403, 'confirmation_required');
  expectStatus(await unlink(browser, api, `?confirmCode=${await askForCode()}`), 200);
  assert.equal((await meOf(browser)).oidc, null);
  await assertCounters(api.sql);
});

test('unlink: 200 while another way is left; 409 last_sign_in for the last one, and for one at another provider', async () => {
  const only = visitor();
  const { user } = await only.signIn(api, newAccount());
  expectProblem(await unlink(only), 409, 'last_sign_in');
  const browser = await signedIn();
  const person = newAccount();
  expectStatus(await browser.link(api, person), 200);
  expectProblem(await browser.send(api, 'DELETE', '/v1/me/oidc?x=1'), 400, 'invalid_request');
  // The number can be removed, unless the server has another provider.
  const next = await api.startAnother({ env: { ...provider.env(), OIDC_ISSUER: 'https://id.example.org' } });
  expectProblem(await browser.send(next, 'DELETE', '/v1/me/phone'), 409, 'last_sign_in');
  assert.equal(expectStatus(await unlink(browser), 200).body.oidc, null);
  assert.equal(expectStatus(await unlink(browser), 200).body.oidc, null);
  assert.notEqual((await visitor().signIn(api, person)).user.id, (await meOf(browser)).id);
  expectStatus(await browser.link(api, newAccount()), 200);
  assert.equal(expectStatus(await browser.send(api, 'DELETE', '/v1/me/phone'), 200).body.phone, null);
  expectProblem(await unlink(browser), 409, 'last_sign_in');
  assert.ok(user.id);
  await assertCounters(api.sql);
});

test('unlink: the other contact is told; other sessions end on request; the trail and the export have it', async () => {
  const browser = await signedIn();
  const person = newAccount();
  expectStatus(await browser.link(api, person), 200);
  const other = visitor();
  await other.signIn(api, person);
  const exported = expectStatus(await browser.send(api, 'GET', '/v1/me/export'), 200).body;
  assert.equal(exported.profile[0].oidc, keyOf(person.sub));
  const before = api.sent.length;
  expectStatus(await unlink(browser, api, '?endOtherSessions=true'), 200);
  assert.deepEqual(
    api.sent.slice(before).map(({ phone }) => phone),
    [browser.phone],
  );
  expectProblem(await other.send(second, 'GET', '/v1/auth/me'), 401, 'token_invalid');
  const { audit } = expectStatus(await browser.send(api, 'GET', '/v1/me/export'), 200).body;
  const changes = audit.filter(({ detail }: { detail: string }) => detail === 'oidc');
  assert.deepEqual(
    changes.map(({ what }: { what: string }) => what),
    ['contact_changed', 'contact_removed'],
  );
});

test('address: a person without one adds it; the identity is no contact that a message goes to', async () => {
  const browser = visitor();
  const { user } = await browser.signIn(api, newAccount());
  const email = nextAddress();
  const sent = expectStatus(await browser.send(api, 'PUT', '/v1/me/email', { email }), 202).body;
  const confirmed = await browser.send(api, 'POST', '/v1/me/email/verify', { code: sent.devCode });
  assert.equal(expectStatus(confirmed, 200).body.email, email);
  assert.deepEqual([...(await api.sql`select kind from mails where user_id = ${user.id}`)], []);
  assert.equal(expectStatus(await unlink(browser), 200).body.oidc, null);
});

// spec: 4.8 POST /v1/me/delete-code, DELETE /v1/me: account deletion
test('deletion: the code of an account with an identity alone is in the response, in a session of ten minutes', async () => {
  const person = newAccount();
  const browser = visitor();
  const { user } = await browser.signIn(api, person);
  const { code, devCode } = expectStatus(await browser.send(api, 'POST', '/v1/me/delete-code'), 202).body;
  assert.match(code, /^\d{6}$/);
  assert.equal(devCode, undefined);
  const wrong = code === '000000' ? '000001' : '000000';
  const remove = (confirmCode: string) => browser.send(api, 'DELETE', '/v1/me', { confirmCode });
  expectProblem(await remove(wrong), 400, 'wrong_code');
  clock.advance(10 * 60_000);
  expectProblem(await browser.send(second, 'POST', '/v1/me/delete-code'), 403, 'sign_in_again');
  expectProblem(await remove(code), 400, 'wrong_code');
  await browser.signIn(api, person);
  const again = expectStatus(await browser.send(second, 'POST', '/v1/me/delete-code'), 202).body;
  expectStatus(await remove(again.code), 200);
  assert.deepEqual([...(await api.sql`select 1 from contacts where user_id = ${user.id}`)], []);
  assert.deepEqual((await visitor().signIn(api, person)).isNewUser, true);
  await assertCounters(api.sql);
});

test('deletion: 403 contact_too_new for an account with an identity and a contact of the last day', async () => {
  const browser = visitor();
  await browser.signIn(api, newAccount());
  const sent = await browser.send(api, 'PUT', '/v1/me/phone', { phone: nextPhone() });
  const { devCode: code } = expectStatus(sent, 202).body;
  expectStatus(await browser.send(api, 'POST', '/v1/me/phone/verify', { code }), 200);
  expectProblem(await browser.send(api, 'POST', '/v1/me/delete-code'), 403, 'contact_too_new');
});

test('deletion: the code goes to the number, and to the address of an account without one, where mails are sent', async () => {
  const browser = await signedIn();
  expectStatus(await browser.link(api, newAccount()), 200);
  const texted = expectStatus(await browser.send(api, 'POST', '/v1/me/delete-code'), 202).body;
  assert.deepEqual([texted.code, typeof texted.devCode], [undefined, 'string']);
  const byMail = visitor();
  await byMail.signIn(api, newAccount(nextAddress()));
  const mailed = expectStatus(await byMail.send(api, 'POST', '/v1/me/delete-code'), 202).body;
  assert.deepEqual([mailed.code, typeof mailed.devCode], [undefined, 'string']);
  const silent = await api.startAnother({ env: { ...provider.env(), MAIL_DRIVER: 'off' } });
  const { code } = expectStatus(await byMail.send(silent, 'POST', '/v1/me/delete-code'), 202).body;
  expectStatus(await byMail.send(silent, 'DELETE', '/v1/me', { confirmCode: code }), 200);
});

test('race: two first sign-ins of an identity on two servers make one account', async () => {
  for (const email of [undefined, nextAddress()]) {
    const person = newAccount(email);
    const browsers = [visitor(), visitor()];
    const begun = await Promise.all(browsers.map((browser) => browser.begin(api, person)));
    const key = email?.toLowerCase() ?? keyOf(person.sub);
    const { responses } = await api.sql.begin(async (tx) => {
      // The first sign-in waits for the row, and the second for the first.
      await tx`insert into contacts values (${key}, ${crypto.randomUUID()})`;
      const sent = browsers.map((browser, i) => browser.finish(i ? second : api, begun[i] ?? { state: '' }));
      await untilWaiting(api.sql, 2);
      await tx`delete from contacts where contact = ${key}`;
      return { responses: Promise.all(sent) };
    });
    const bodies = (await responses).map((response) => expectStatus(response, 200).body);
    assert.deepEqual(bodies.map(({ isNewUser }) => isNewUser).sort(), [false, true]);
    assert.equal(new Set(bodies.map(({ user }) => user.id)).size, 1);
  }
  await assertCounters(api.sql);
});

test('race: of two accounts that link one identity on two servers, one gets it', async () => {
  const browsers = [await signedIn(), await signedIn()];
  const person = newAccount();
  const begun = await Promise.all(browsers.map((browser) => browser.begin(api, person, '/v1/me/oidc')));
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`insert into contacts values (${keyOf(person.sub)}, ${crypto.randomUUID()})`;
    const sent = browsers.map((browser, i) => browser.finish(i ? second : api, begun[i] ?? { state: '' }));
    await untilWaiting(api.sql, 2);
    await tx`delete from contacts where contact = ${keyOf(person.sub)}`;
    return { responses: Promise.all(sent) };
  });
  assert.deepEqual((await responses).map(({ status }) => status).sort(), [200, 409]);
  await assertCounters(api.sql);
});

test('race: the identity and the number are removed on two servers: one stays', async () => {
  const browser = await signedIn();
  const { body } = expectStatus(await browser.link(api, newAccount()), 200);
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`select 1 from users where id = ${body.user.id} for update`;
    const sent = [unlink(browser), browser.send(second, 'DELETE', '/v1/me/phone')];
    await untilWaiting(api.sql, 2);
    return { responses: Promise.all(sent) };
  });
  assert.deepEqual((await responses).map(({ status }) => status).sort(), [200, 409]);
  await assertCounters(api.sql);
});

test('race: a link by the address and one from the settings leave one identity that signs in', async () => {
  const browser = await signedIn();
  const owner = await meOf(browser);
  const email = nextAddress();
  const sent = expectStatus(await browser.send(api, 'PUT', '/v1/me/email', { email }), 202).body;
  expectStatus(await browser.send(api, 'POST', '/v1/me/email/verify', { code: sent.devCode }), 200);
  const [byAddress, bySettings] = [newAccount(email), newAccount()];
  const other = visitor();
  const [signingIn, linking] = [
    await other.begin(second, byAddress),
    await browser.begin(api, bySettings, '/v1/me/oidc'),
  ];
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`insert into contacts values (${keyOf(byAddress.sub)}, ${crypto.randomUUID()})`;
    const first = other.finish(second, signingIn);
    await untilWaiting(api.sql, 1);
    const sent = [first, browser.finish(api, linking)];
    await untilWaiting(api.sql, 2);
    await tx`delete from contacts where contact = ${keyOf(byAddress.sub)}`;
    return { responses: Promise.all(sent) };
  });
  for (const response of await responses) expectStatus(response, 200);
  assert.equal((await meOf(browser)).oidc, keyOf(bySettings.sub));
  assert.notEqual((await visitor().signIn(api, { sub: byAddress.sub })).user.id, owner.id);
  await assertCounters(api.sql);
});

test('race: a first sign-in waits for the deletion of the account with its address, and gets a new account', async () => {
  const owner = await createUser(api);
  const email = await addAddress(api, owner);
  const other = visitor();
  const begun = await other.begin(second, newAccount(email));
  const { body } = expectStatus(await api.post('/v1/me/delete-code', owner.token), 202);
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`select 1 from users where id = ${owner.id} for update`;
    const deleting = api.delete('/v1/me', owner.token, { confirmCode: body.devCode });
    await untilWaiting(api.sql, 1);
    const signingIn = other.finish(second, begun);
    await untilWaiting(api.sql, 2);
    return { responses: Promise.all([deleting, signingIn]) };
  });
  const [deleted, signedIn] = await responses;
  expectStatus(deleted, 200);
  const { isNewUser, user } = expectStatus(signedIn, 200).body;
  assert.deepEqual([isNewUser, user.email], [true, email]);
  assert.notEqual(user.id, owner.id);
  await assertCounters(api.sql);
});

test('race: a link and the deletion of its account on two servers: no row remains', async () => {
  const browser = await signedIn();
  const { id } = await meOf(browser);
  const person = newAccount();
  const begun = await browser.begin(api, person, '/v1/me/oidc');
  const { body } = expectStatus(await browser.send(api, 'POST', '/v1/me/delete-code'), 202);
  const { responses } = await api.sql.begin(async (tx) => {
    await tx`insert into contacts values (${keyOf(person.sub)}, ${crypto.randomUUID()})`;
    const linking = browser.finish(api, begun);
    await untilWaiting(api.sql, 1);
    const deleting = browser.send(second, 'DELETE', '/v1/me', { confirmCode: body.devCode });
    await untilWaiting(api.sql, 2);
    await tx`delete from contacts where contact = ${keyOf(person.sub)}`;
    return { responses: Promise.all([linking, deleting]) };
  });
  for (const response of await responses) expectStatus(response, 200);
  assert.deepEqual([...(await api.sql`select 1 from contacts where user_id = ${id}`)], []);
  await assertCounters(api.sql);
});
