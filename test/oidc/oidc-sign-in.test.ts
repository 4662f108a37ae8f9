/** Signing in with OpenID Connect: new accounts, accounts that are linked by their address, and what a server offers. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { addAddress, createAdmin, createUser, nextAddress, requestMail } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { OidcProvider } from '../support/oidc-stub.ts';
import { expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';
import { Browser, newAccount } from './oidc-browser.ts';

const { provider, close } = await OidcProvider.open();
after(close);
const clock = new TestClock();
const api = await startTestApp({ clock, env: { ...provider.env(), OIDC_NAME: 'Village account' } });
const second = await api.startAnother();
const browser = () => new Browser(provider);
const tellings = (userId: string) => api.sql`
  select address from mails where user_id = ${userId} and kind = 'contact_changed'`;
const auditOf = async (token: string): Promise<string[]> =>
  expectStatus(await api.get('/v1/me/export', token), 200).body.audit.map(
    ({ what, detail }: { what: string; detail: string }) => `${what} ${detail}`.trim(),
  );

// spec: 5 POST /v1/auth/oidc/start, POST /v1/auth/oidc/finish: sign-in with OpenID Connect
test('oidc: 200 with a new account and a browser session, later on any server with the same account', async () => {
  const person = newAccount();
  const first = browser();
  const response = await first.begin(api, person, undefined, '/e/1?a=b#c');
  const { body, headers } = expectStatus(await first.finish(second, response), 200);
  assert.deepEqual([body.isNewUser, body.isSuspended, body.next], [true, false, '/e/1?a=b#c']);
  assert.deepEqual([body.user.phone, body.user.email], [null, null]);
  assert.equal(body.user.oidc, `${provider.url}/ ${person.sub}`);
  assert.match(
    headers.getSetCookie().join('\n'),
    /^potluck-\d+=pb_[^\n]+\npotluck-way-\d+=oidc;[^\n]+\npotluck-oidc-\d+=; Max-Age=0;/,
  );
  assert.equal(expectStatus(await first.send(api, 'GET', '/v1/auth/me'), 200).body.id, body.user.id);
  const again = await browser().signIn(api, person);
  assert.deepEqual([again.isNewUser, again.user.id, again.next], [false, body.user.id, '']);
  await assertCounters(api.sql);
});

test('oidc: the address has PKCE, a state and a nonce that differ for each sign-in, and the page of the server', async () => {
  const start = async () =>
    new URL(expectStatus(await browser().send(api, 'POST', '/v1/auth/oidc/start', {}), 200).body.url)
      .searchParams;
  const [a, b] = [await start(), await start()];
  assert.deepEqual(
    ['response_type', 'scope', 'code_challenge_method'].map((name) => a.get(name)),
    ['code', 'openid email', 'S256'],
  );
  assert.ok(a.get('redirect_uri')?.endsWith('/sign-in/oidc'));
  for (const name of ['state', 'nonce', 'code_challenge']) {
    assert.equal(a.get(name)?.length, 43, name);
    assert.notEqual(a.get(name), b.get(name));
  }
});

test('oidc: a new account has the address that the provider has verified; a mail code then signs in to it', async () => {
  for (const hasClaimsInToken of [true, false]) {
    provider.script.hasClaimsInToken = hasClaimsInToken;
    const email = nextAddress();
    const { user } = await browser().signIn(api, newAccount(email));
    assert.equal(user.email, email);
    const { devCode: code } = await requestMail(api, email);
    const body = { email, code };
    const signedIn = expectStatus(await api.post('/v1/auth/email/verify', undefined, body), 200).body;
    assert.deepEqual([signedIn.isNewUser, signedIn.user.id], [false, user.id]);
  }
  provider.reset();
  await assertCounters(api.sql);
});

test('oidc: an address that the provider has not verified is no address of the account, and links nothing', async () => {
  const owner = await createUser(api);
  const email = await addAddress(api, owner);
  for (const isVerified of [false, undefined, 'true', 1]) {
    const person = { ...newAccount(), email, email_verified: isVerified };
    const { user, isNewUser } = await browser().signIn(api, person);
    assert.deepEqual([isNewUser, user.email], [true, null]);
    assert.notEqual(user.id, owner.id);
  }
  for (const text of ['no address', 'a b@example.org', 7]) {
    const person = { ...newAccount(), email: text as string, email_verified: true };
    assert.equal((await browser().signIn(api, person)).user.email, null);
  }
  await assertCounters(api.sql);
});

test('oidc: an address that both have verified links the identity, in any case of its letters; its owner is told', async () => {
  const owner = await createUser(api);
  const email = await addAddress(api, owner);
  const person = newAccount(email.toUpperCase());
  const before = api.sent.length;
  const first = await browser().signIn(api, person);
  assert.deepEqual([first.isNewUser, first.user.id, first.user.email], [false, owner.id, email]);
  assert.deepEqual(
    api.sent.slice(before).map(({ phone, purpose }) => [phone, purpose]),
    [[owner.phone, 'contact_changed']],
  );
  assert.equal((await browser().signIn(second, { sub: person.sub })).user.id, owner.id);
  assert.deepEqual((await auditOf(owner.token)).slice(-3).sort(), [
    'contact_changed oidc',
    'signed_in',
    'signed_in',
  ]);
  assert.equal(api.sent.length, before + 1);
  await assertCounters(api.sql);
});

test('oidc: of an account without a phone, the address is told of the link', async () => {
  const email = nextAddress();
  const { devCode: code } = await requestMail(api, email);
  const { user } = (await api.post('/v1/auth/email/verify', undefined, { email, code })).body;
  assert.equal((await browser().signIn(api, newAccount(email))).user.id, user.id);
  assert.deepEqual([...(await tellings(user.id))], [{ address: email }]);
});

test('oidc: a second identity with the address of an account that has one gets an account of its own', async () => {
  const email = nextAddress();
  const { user } = await browser().signIn(api, newAccount(email));
  const other = await browser().signIn(api, newAccount(email));
  assert.deepEqual([other.isNewUser, other.user.email], [true, null]);
  assert.notEqual(other.user.id, user.id);
  await assertCounters(api.sql);
});

test('oidc: the identity at a former provider makes room for one with the same address', async () => {
  const email = nextAddress();
  const { user } = await browser().signIn(api, newAccount(email));
  const next = await OidcProvider.open();
  const server = await api.startAnother({ env: next.provider.env() });
  const moved = await new Browser(next.provider).signIn(server, newAccount(email));
  next.close();
  assert.equal(moved.user.id, user.id);
  assert.ok(moved.user.oidc.startsWith(next.provider.url));
  await assertCounters(api.sql);
});

test('oidc: 403 for the first sign-in while sign-ups are off; later sign-ins work', async () => {
  const { token } = await createAdmin(api);
  const person = newAccount();
  await browser().signIn(api, person);
  const path = '/v1/admin/flags/signUps';
  expectStatus(await api.call('PUT', path, { token, body: { enabled: false } }), 200);
  const visitor = browser();
  const response = await visitor.begin(second, newAccount());
  expectProblem(await visitor.finish(second, response), 403, 'feature_disabled');
  expectStatus(
    await browser()
      .signIn(second, person)
      .then(() => api.get('/v1/features')),
    200,
  );
  expectStatus(await api.call('PUT', path, { token, body: { enabled: true } }), 200);
});

test('oidc: a suspended person gets the session of suspended people, also by a first link', async () => {
  const { token } = await createAdmin(api);
  const owner = await createUser(api);
  const email = await addAddress(api, owner);
  expectStatus(await api.post(`/v1/admin/users/${owner.id}/suspend`, token, {}), 200);
  for (let n = 0; n < 2; n++) {
    const visitor = browser();
    const { isSuspended, user } = await visitor.signIn(api, { ...newAccount(email), sub: owner.id });
    assert.deepEqual([isSuspended, user.id], [true, owner.id]);
    expectProblem(await visitor.send(api, 'GET', '/v1/auth/me'), 403, 'account_suspended');
  }
});

// spec: 5 GET /v1/features: which features are switched on
test('oidc: features have the way and its name; 403 on a server without it', async () => {
  const features = expectStatus(await api.get('/v1/features'), 200).body;
  assert.deepEqual([features.signIn, features.oidcName], [['phone', 'email', 'oidc'], 'Village account']);
  const without = await api.startAnother({ env: { ...provider.env(), SIGN_IN: 'phone' } });
  const body = expectStatus(await without.get('/v1/features'), 200).body;
  assert.deepEqual([body.signIn, body.oidcName], [['phone'], null]);
  for (const [path, sent] of [
    ['/v1/auth/oidc/start', {}],
    ['/v1/auth/oidc/finish', { state: 'x' }],
  ] as const)
    expectProblem(await browser().send(without, 'POST', path, sent), 403, 'feature_disabled');
});

test('oidc: the secret is proved by the method that the provider supports, or that is configured', async () => {
  const methods = { token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_post'] };
  for (const [metadata, env, used] of [
    [{}, {}, 'Basic'],
    [methods, {}, 'none'],
    [{}, { OIDC_CLIENT_AUTH: 'client_secret_post' }, 'none'],
    [methods, { OIDC_CLIENT_AUTH: 'client_secret_basic' }, 'Basic'],
  ] as const) {
    provider.script.metadata = metadata;
    const server = await api.startAnother({ env: { ...provider.env(), ...env } });
    await browser().signIn(server, newAccount());
    assert.equal(
      provider.requests.findLast((line) => line.startsWith('POST /token')),
      `POST /token ${used}`,
    );
  }
  provider.reset();
});
