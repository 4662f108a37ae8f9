/** Signing in with a mail address: the rules of sign-in by phone, and the link. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { createUser, fromPage, nextAddress, nextPhone, requestMail, tokenOf } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { MailServer } from '../support/mail-server.ts';
import { expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';

const clock = new TestClock();
const api = await startTestApp({ clock });
const otherServer = await api.startAnother();
const minute = 60_000;

const request = (email: string) => api.post('/v1/auth/email/request', undefined, { email });
const verify = (email: string, code: string, on = api) =>
  on.post('/v1/auth/email/verify', undefined, { email, code });
const openLink = (token: string, on = api) =>
  on.call('POST', '/v1/auth/email/link', { body: { token }, headers: fromPage });
const wrong = (code: string) => (code === '000000' ? '000001' : '000000');
const signIn = async (email: string) =>
  expectStatus(await verify(email, (await requestMail(api, email)).devCode), 200).body;

// spec: 5 POST /v1/auth/email/request, POST /v1/auth/email/verify: sign-in by mail
test('mail sign-in: 200 with a new account without a phone, later with the same account', async () => {
  const email = nextAddress();
  const first = await signIn(email);
  assert.deepEqual([first.isNewUser, first.user.phone, first.user.email], [true, null, email]);
  const second = await signIn(email);
  assert.deepEqual([second.isNewUser, second.user.id], [false, first.user.id]);
  await assertCounters(api.sql);
});

test('mail sign-in: 200 with the same account in other case, with spaces and direction marks around the address', async () => {
  const email = nextAddress();
  const { user } = await signIn(email);
  for (const spelling of [email.toUpperCase(), email.toLowerCase(), ` ${email} `, `\u200f${email}\u202c`]) {
    const again = await signIn(spelling);
    assert.deepEqual([again.user.id, again.user.email], [user.id, email]);
  }
});

test('mail sign-in: 200 with the same account in all spellings of an internationalized address, which has one form', async () => {
  const { user } = await signIn('Noor@Bücher.example');
  assert.equal(user.email, 'noor@xn--bcher-kva.example');
  for (const spelling of [
    'noor@xn--bcher-kva.example',
    'NOOR@BÜCHER.EXAMPLE',
    'noor@bu\u0308cher.example',
    'ｎｏｏｒ@ｂücher.example',
    'noor@bücher。example.',
    'noor@bücher\ufe0f.example',
  ]) {
    const again = await signIn(spelling);
    assert.deepEqual([again.user.id, again.user.email, again.isNewUser], [user.id, user.email, false]);
  }
});

test('mail code: 429 within a minute for any spelling of an address, on two servers; one mail, to its one form', async () => {
  const server = new MailServer({});
  const port = await server.listen();
  after(() => server.close());
  const env = {
    MAIL_URL: `smtp://localhost:${port}`,
    MAIL_FROM: 'events@example.org',
    DEV_CODES: 'off',
    TRUST_PROXY: 'loopback',
  };
  const [one, two] = [await api.startAnother({ env }), await api.startAnother({ env })];
  const spellings = ['victim@bücher.example', 'VICTIM@BÜCHER.example', 'ｖictim@ｂücher.example'].concat([
    'victim@xn--bcher-kva.example',
    'victim@bücher.example.',
  ]);
  const responses = await Promise.all(
    spellings.map((email, n) =>
      (n % 2 ? one : two).call('POST', '/v1/auth/email/request', {
        body: { email },
        headers: { 'x-forwarded-for': `198.51.100.${n}` },
      }),
    ),
  );
  assert.deepEqual(responses.map(({ status }) => status).sort(), [202, 429, 429, 429, 429]);
  assert.deepEqual(
    server.received.map(({ to }) => to),
    ['victim@xn--bcher-kva.example'],
  );
});

test('mail sign-in: 400 naming email for a text that is no address', async () => {
  for (const email of [
    '',
    'mara',
    '@example.org',
    'mara@',
    'a b@example.org',
    'mara@example..org',
    'a\n@example.org',
    `mara${'\u0301\u0323'.repeat(40)}@example.org`,
  ]) {
    const { body } = expectProblem(await request(email), 400, 'invalid_request');
    assert.equal(body.errors[0].path, 'email', email);
    expectProblem(await verify(email, '123456'), 400, 'invalid_request');
  }
  const { body } = await request('mara');
  assert.equal(body.errors[0].rule, 'email');
});

test('mail code: 202 with the same fields for an address with an account and for one without', async () => {
  const known = nextAddress();
  await signIn(known);
  for (const email of [known, nextAddress()]) {
    const { body } = expectStatus(await request(email), 202);
    assert.deepEqual(Object.keys(body).sort(), ['devCode', 'devLink', 'expiresIn', 'resendAfter']);
    assert.deepEqual([body.expiresIn, body.resendAfter], [300, 0]);
  }
});

test('mail code: 400 for a code that is wrong, used, of a phone, or five minutes old', async () => {
  const email = nextAddress();
  const { devCode } = await requestMail(api, email);
  expectProblem(await verify(email, wrong(devCode)), 400, 'wrong_code');
  expectStatus(await verify(email, devCode), 200);
  expectProblem(await verify(email, devCode), 400, 'wrong_code');
  const phone = nextPhone();
  const texted = expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone }), 202).body;
  expectProblem(await verify(email, texted.devCode), 400, 'wrong_code');
  const late = await requestMail(api, email);
  clock.advance(5 * minute);
  expectProblem(await verify(email, late.devCode), 400, 'wrong_code');
  expectProblem(await openLink(tokenOf(late)), 400, 'wrong_code');
});

test('mail code: 429 after five wrong codes, also for the right code and on another server', async () => {
  const email = nextAddress();
  const { devCode } = await requestMail(api, email);
  for (let i = 0; i < 5; i++) expectProblem(await verify(email, wrong(devCode)), 400, 'wrong_code');
  for (const on of [api, otherServer]) {
    const { headers } = expectProblem(await verify(email, devCode, on), 429, 'too_many_tries');
    assert.ok(Number(headers.get('retry-after')) <= 900);
  }
});

test('mail code: of fifty concurrent requests with the right code on two servers one opens a session', async () => {
  const email = nextAddress();
  const { devCode } = await requestMail(api, email);
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, i) => verify(email, devCode, i % 2 ? api : otherServer)),
  );
  assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  await assertCounters(api.sql);
});

test('mail link: has the page that follows as a parameter of its own; 400 for more than 1,000 characters', async () => {
  const ask = (next: string) => api.post('/v1/auth/email/request', undefined, { email: nextAddress(), next });
  const next = '/sign-in?next=/e/1&eventId=1&rsvp=going';
  const { devLink } = expectStatus(await ask(next), 202).body;
  const link = new URL(devLink);
  assert.deepEqual([...link.searchParams.keys()], ['token', 'next']);
  assert.equal(link.searchParams.get('next'), next);
  expectStatus(await openLink(tokenOf({ devLink })), 200);
  const { body } = expectProblem(await ask(`/${'x'.repeat(1_000)}`), 400, 'invalid_request');
  assert.equal(body.errors[0].path, 'next');
});

// spec: 5 POST /v1/auth/email/link: sign-in by the link of a mail
test('mail link: 200 with cookies, once, on any server and in any network; the code is used up with it', async () => {
  const email = nextAddress();
  const mail = await requestMail(api, email);
  assert.match(mail.devLink, /\/sign-in\/link\?token=pl_[\w-]+$/);
  const { body, headers } = expectStatus(await openLink(tokenOf(mail), otherServer), 200);
  assert.equal(body.user.email, email);
  assert.match(
    headers.getSetCookie().join('\n'),
    /^potluck-\d+=[^\n]+\npotluck-device-\d+=pd_[^\n]+\npotluck-way-\d+=email;/,
  );
  expectProblem(await openLink(tokenOf(mail)), 400, 'wrong_code');
  expectProblem(await verify(email, mail.devCode), 400, 'wrong_code');
});

test('mail link: 200 while wrong codes of the network are refused; 400 after the code was entered', async () => {
  const email = nextAddress();
  const mail = await requestMail(api, email);
  for (let i = 0; i < 5; i++) expectProblem(await verify(email, wrong(mail.devCode)), 400, 'wrong_code');
  expectProblem(await verify(email, mail.devCode), 429, 'too_many_tries');
  expectStatus(await openLink(tokenOf(mail)), 200);
  const other = nextAddress();
  const entered = await requestMail(api, other);
  expectStatus(await verify(other, entered.devCode), 200);
  expectProblem(await openLink(tokenOf(entered)), 400, 'wrong_code');
});

test('mail link: 400 for a token that was changed or replaced by a newer one; 403 from another site', async () => {
  const email = nextAddress();
  const old = tokenOf(await requestMail(api, email));
  const token = tokenOf(await requestMail(api, email));
  expectProblem(await openLink(old), 400, 'wrong_code');
  for (const changed of ['', 'pl_', token.slice(3), `${token.slice(0, -2)}AA`, `pl_${'A'.repeat(1_000)}`])
    expectProblem(await openLink(changed), 400, 'wrong_code');
  const foreign = { body: { token }, headers: { 'sec-fetch-site': 'cross-site' } };
  expectProblem(await api.call('POST', '/v1/auth/email/link', foreign), 403, 'cross_site_request');
  expectStatus(await openLink(token), 200);
});

// spec: 5 POST /v1/auth/email/link/contact: whom a link signs in
test('mail link: 200 with the first letter and the domain of its address; 400 for a token that the server did not make', async () => {
  const email = nextAddress();
  const token = tokenOf(await requestMail(api, email));
  const read = (sent: string) => api.post('/v1/auth/email/link/contact', undefined, { token: sent });
  const { body } = expectStatus(await read(token), 200);
  assert.deepEqual(body, { contact: `${email.charAt(0)}•••@${email.split('@')[1]}` });
  for (const changed of ['', 'pl_none', `${token.slice(0, -2)}AA`])
    expectProblem(await read(changed), 400, 'wrong_code');
  // Reading uses nothing up.
  expectStatus(await openLink(token), 200);
});

test('mail sign-in: 200 with a session that exports and deletes the account; its code is mailed', async () => {
  const email = nextAddress();
  const { accessToken, user } = await signIn(email);
  const exported = expectStatus(await api.get('/v1/me/export', accessToken), 200).body;
  assert.deepEqual([exported.profile[0].phone, exported.profile[0].email], [null, email]);
  const { body } = expectStatus(await api.post('/v1/me/delete-code', accessToken), 202);
  expectStatus(await api.delete('/v1/me', accessToken, { confirmCode: body.devCode }), 200);
  assert.notEqual((await signIn(email)).user.id, user.id);
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/auth/email/browser-session: sign-in by mail in a browser
test('mail sign-in: 200 with a browser session and no token; 403 from another site', async () => {
  const email = nextAddress();
  const body = { email, code: (await requestMail(api, email)).devCode };
  const send = (site: string) =>
    api.call('POST', '/v1/auth/email/browser-session', { body, headers: { 'sec-fetch-site': site } });
  expectProblem(await send('cross-site'), 403, 'cross_site_request');
  const signedIn = expectStatus(await send('same-origin'), 200);
  assert.deepEqual(Object.keys(signedIn.body).sort(), ['isNewUser', 'isSuspended', 'user']);
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  const me = await api.call('GET', '/v1/auth/me', { headers: { ...fromPage, cookie } });
  assert.equal(expectStatus(me, 200).body.email, email);
});

// spec: 5 GET /v1/features: which features are switched on
test('ways: 403 feature_disabled for a way that SIGN_IN leaves out; features list the ways', async () => {
  for (const [way, request] of [
    ['phone', { path: '/v1/auth/email', body: { email: nextAddress() } }],
    ['email', { path: '/v1/auth/otp', body: { phone: nextPhone() } }],
  ] as const) {
    const server = await api.startAnother({ env: { SIGN_IN: way } });
    const { body } = expectStatus(await server.get('/v1/features'), 200);
    assert.deepEqual(body.signIn, [way]);
    const { path } = request;
    expectProblem(await server.post(`${path}/request`, undefined, request.body), 403, 'feature_disabled');
    const proof = { ...request.body, code: '123456' };
    expectProblem(await server.post(`${path}/verify`, undefined, proof), 403, 'feature_disabled');
  }
  const byPhone = await api.startAnother({ env: { SIGN_IN: 'phone' } });
  expectProblem(await openLink('pl_x', byPhone), 403, 'feature_disabled');
  const { token } = await createUser(api);
  const body = { email: nextAddress() };
  expectProblem(await byPhone.call('PUT', '/v1/me/email', { token, body }), 403, 'feature_disabled');
});
