/** The settings of the instance, which admins change while servers run. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import { addAddress, createAdmin, createUser, nextAddress, nextPhone } from '../support/factories.ts';
import { headerOf, MailServer, textOf } from '../support/mail-server.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const admin = await createAdmin(api);
const path = '/v1/admin/settings';
const change = (body: object, server: TestApp = api) => server.patch(path, admin.token, body);
const defaults = { name: 'Potluck', language: 'en', contact: null, signIn: ['phone', 'email'] };

// spec: 5 GET /v1/admin/settings, PATCH /v1/admin/settings: the settings of the instance
test('settings: 200; a change applies on every server from the response to it on; what is left out stays', async () => {
  expectStatus(await change({ ...defaults, name: 'Village events' }), 200);
  for (let round = 0; round < often(20); round++) {
    const [here, there] = round % 2 ? [api, second] : [second, api];
    const contact = `hello${round}@example.org`;
    assert.equal(expectStatus(await change({ contact }, here), 200).body.contact, contact);
    const { body } = expectStatus(await there.get(path, admin.token), 200);
    assert.deepEqual([body.name, body.contact], ['Village events', contact]);
  }
  const third = await api.startAnother();
  assert.equal((await third.get(path, admin.token)).body.name, 'Village events');
  const { body } = expectStatus(await change({ contact: 'https://example.org/help', name: 'Hamnfest' }), 200);
  assert.deepEqual([body.contact, body.name], ['https://example.org/help', 'Hamnfest']);
  assert.equal(expectStatus(await change({ contact: null }), 200).body.contact, null);
  expectStatus(await change(defaults), 200);
});

// spec: 5 GET /v1/admin/settings, PATCH /v1/admin/settings: the settings of the instance
test('settings: a way that is switched off refuses its requests on every server, and can be switched on again', async () => {
  const request = (server: TestApp) =>
    server.post('/v1/auth/email/request', undefined, { email: nextAddress() });
  const [early, address] = [await createUser(api), nextAddress()];
  const asked = { token: early.token, body: { email: address } };
  const code = expectStatus(await api.call('PUT', '/v1/me/email', asked), 202).body.devCode;
  expectStatus(await change({ signIn: ['phone'] }), 200);
  expectProblem(await second.post('/v1/me/email/verify', early.token, { code }), 403, 'feature_disabled');
  for (const server of [api, second]) {
    expectProblem(await request(server), 403, 'feature_disabled');
    assert.deepEqual((await server.get('/v1/features')).body.signIn, ['phone']);
  }
  const person = await createUser(api);
  const email = { token: person.token, body: { email: nextAddress() } };
  expectProblem(await second.call('PUT', '/v1/me/email', email), 403, 'feature_disabled');
  expectStatus(await change({ signIn: ['phone', 'email'] }, second), 200);
  expectStatus(await request(api), 202);
  const confirmed = await second.post('/v1/me/email/verify', early.token, { code });
  assert.equal(expectStatus(confirmed, 200).body.email, address);
});

// spec: 5 GET /v1/admin/settings, PATCH /v1/admin/settings: the settings of the instance
test('settings: 409 setting_refused without a way with which the admin can sign in, and for one that is not configured', async () => {
  const paths = async (body: object, server = api) =>
    expectProblem(await change(body, server), 409, 'setting_refused').body.errors.map(
      (error: { path: string }) => error.path,
    );
  assert.deepEqual(await paths({ signIn: ['email'] }), ['signIn']);
  assert.deepEqual(await paths({ signIn: ['phone', 'oidc'] }), ['signIn']);
  const env = {
    INSTANCE_NAME: 'Village',
    DEFAULT_LANGUAGE: 'de',
    CONTACT: 'a@example.org',
    SIGN_IN: 'phone',
  };
  const fixed = await api.startAnother({ env });
  const { body } = expectStatus(await fixed.get(path, admin.token), 200);
  assert.deepEqual(
    [body.name, body.language, body.contact, body.signIn, body.fixed],
    ['Village', 'de', 'a@example.org', ['phone'], ['name', 'language', 'contact', 'signIn']],
  );
  for (const [setting, value] of Object.entries(defaults))
    assert.deepEqual(await paths({ [setting]: value }, fixed), [setting]);
  // With an address, the admin can sign in by mail alone.
  const other = await createAdmin(api);
  await addAddress(api, other);
  expectStatus(await api.patch(path, other.token, { signIn: ['email'] }), 200);
  expectStatus(await api.patch(path, other.token, { signIn: ['phone', 'email'] }), 200);
});

test('settings: a way whose service is gone is not offered; if all are, people sign in with what is configured', async () => {
  const other = await createAdmin(api);
  await addAddress(api, other);
  const choose = async (signIn: string[]) =>
    expectStatus(await api.patch(path, other.token, { signIn }), 200);
  const signInAt = async (server: TestApp) => (await server.get('/v1/features')).body.signIn;
  const withoutMails = await api.startAnother({ env: { MAIL_DRIVER: 'off' } });
  for (const signIn of [['phone', 'email'], ['email']]) {
    await choose(signIn);
    assert.deepEqual(await signInAt(withoutMails), ['phone']);
  }
  await choose(['phone']);
  assert.deepEqual(await signInAt(await api.startAnother({ env: { SIGN_IN: 'email' } })), ['email']);
  await choose(['phone', 'email']);
});

test('settings: each change is in the audit trail with the names of the settings; one without effect is not', async () => {
  const entries = () => api.sql`select detail from audit where what = 'settings_changed' order by at`;
  const before = (await entries()).length;
  expectStatus(await change({ name: 'Potluck', language: 'sv', contact: 'a@example.org' }), 200);
  expectStatus(await change({ language: 'sv' }), 200);
  const added = (await entries()).slice(before).map(({ detail }) => detail);
  assert.deepEqual(added, ['language, contact']);
  expectStatus(await change(defaults), 200);
});

test('settings: two changes at the same time, on two servers, are both stored', async () => {
  for (let round = 0; round < often(10, 2); round++) {
    const [name, contact] = [`Village ${round}`, `hello${round}@example.org`];
    await Promise.all([change({ name }), change({ contact }, second)]);
    const { body } = expectStatus(await api.get(path, admin.token), 200);
    assert.deepEqual([body.name, body.contact], [name, contact]);
  }
  expectStatus(await change(defaults), 200);
});

test('settings: codes are in the language of the instance for those who ask for none that the server has', async () => {
  const languages: string[] = [];
  const sms = {
    delivers: false,
    send: async (_phone: string, _purpose: string, _code: string, language: string) =>
      void languages.push(language),
    tellOfChange: async () => {},
    sendNotice: async () => {},
    sendTest: async () => {},
  };
  const server = await api.startAnother({ sms });
  const request = (accepted: string) =>
    server.call('POST', '/v1/auth/otp/request', {
      body: { phone: nextPhone() },
      headers: { 'accept-language': accepted },
    });
  expectStatus(await change({ language: 'sv' }), 200);
  for (const accepted of ['fr', 'de']) expectStatus(await request(accepted), 202);
  expectStatus(await change(defaults), 200);
  expectStatus(await request('fr'), 202);
  assert.deepEqual(languages, ['sv', 'de', 'en']);
});

// spec: 5 POST /v1/admin/test-message: a test message
test('test message: 200 with the words of the mail server, accepted or not; the mail has the name of the instance', async () => {
  const mailServer = new MailServer();
  const port = await mailServer.listen();
  const server = await api.startAnother({
    env: { MAIL_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'events@example.org' },
  });
  const email = await addAddress(api, admin);
  expectStatus(await change({ name: 'Village events' }), 200);
  const send = (to: string) => server.post('/v1/admin/test-message', admin.token, { to });
  const sent = expectStatus(await send('email'), 200).body;
  assert.equal(sent.isAccepted, true);
  assert.match(sent.reply, /^250 /);
  const [mail] = mailServer.received;
  assert.ok(mail);
  assert.deepEqual([mail.to, headerOf(mail, 'From')], [email, 'Village events <events@example.org>']);
  assert.ok(textOf(mail).includes('Village events'));
  mailServer.reply = (command) =>
    command.startsWith('RCPT') ? '550 5.7.1 You may not send mails' : undefined;
  const refused = expectStatus(await send('email'), 200).body;
  assert.equal(refused.isAccepted, false);
  assert.match(refused.reply, /550 5\.7\.1 You may not send mails/);
  expectStatus(await change(defaults), 200);
  await mailServer.close();
});

test('test message: 503 where no mails are sent; 400 for a contact that the admin does not have', async () => {
  const without = await api.startAnother({ env: { MAIL_DRIVER: 'off' } });
  const answer = await without.post('/v1/admin/test-message', admin.token, { to: 'email' });
  expectProblem(answer, 503, 'mail_unavailable');
  const other = await createAdmin(api);
  expectProblem(
    await api.post('/v1/admin/test-message', other.token, { to: 'email' }),
    400,
    'invalid_request',
  );
});
