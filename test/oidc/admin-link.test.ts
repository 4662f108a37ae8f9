/** The address that a command prints, which signs an admin in when no other way works. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { transaction } from '#pg';
import { createOperatorLink } from '../../src/modules/accounts/sign-in/operator-link.ts';
import { command } from '../support/command.ts';
import { addAddress, createAdmin, createUser, fromPage, nextPhone } from '../support/factories.ts';
import { expectProblem, expectStatus, secretKey, startTestApp, TestClock } from '../support/setup.ts';

const clock = new TestClock();
const oidc = {
  OIDC_ISSUER: 'https://id.example.org',
  OIDC_CLIENT_ID: 'potluck',
  OIDC_CLIENT_SECRET: 'secret',
};
const api = await startTestApp({ clock });
// People sign in at a provider alone.
const closed = await api.startAnother({ env: { ...oidc, SIGN_IN: 'oidc' } });

const link = (contact: string) => command(api.target, 'admin', 'link', contact);
const tokenIn = (text: string) => /^http\S+\/sign-in\/link\?token=(pl_[\w-]+)$/m.exec(text)?.[1] ?? 'none';
const open = (token: string, on = closed) =>
  on.call('POST', '/v1/auth/email/link', { body: { token }, headers: fromPage });

test('admin link: signs the admin in once, on a server with no way but the provider; the trail has both', async () => {
  const admin = await createAdmin(api);
  const email = await addAddress(api, admin);
  for (const [typed, contact] of [
    [admin.phone, admin.phone],
    [email.toUpperCase(), email],
  ] as const) {
    const { code, stdout, stderr } = await link(typed);
    assert.deepEqual([code, stderr], [0, '']);
    assert.ok(stdout.startsWith(`This address signs ${contact} in, once, within 15 minutes:\nhttp`));
    const { body } = expectStatus(await open(tokenIn(stdout)), 200);
    assert.deepEqual([body.isNewUser, body.user.id], [false, admin.id]);
    expectProblem(await open(tokenIn(stdout)), 400, 'wrong_code');
  }
  const { audit } = expectStatus(await api.get('/v1/me/export', admin.token), 200).body;
  const entries = audit.map(({ what, detail }: { what: string; detail: string }) =>
    `${what} ${detail}`.trim(),
  );
  assert.equal(entries.filter((entry: string) => entry === 'sign_in_link by a command').length, 2);
});

test('admin link: exit code 1 for an account that is no admin, a contact without an account, and other arguments', async () => {
  const person = await createUser(api);
  const refused = await link(person.phone);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /is not an admin\. "admin grant \+\d+" makes it one\.\n$/);
  assert.match((await link(nextPhone())).stderr, /^No account has the number/);
  assert.match((await link('nobody')).stderr, /is neither a phone number/);
  assert.deepEqual(
    [...(await api.sql`select 1 from codes where trust = 'device' and code_hash is not null`)],
    [],
  );
});

test('admin link: 400 after 15 minutes, and for one that a newer one has replaced; a code of a message still works', async () => {
  const admin = await createAdmin(api);
  const contact = { kind: 'phone', value: admin.phone } as const;
  const config = { publicUrl: 'http://127.0.0.1', secretKey };
  const create = async () =>
    tokenIn(await transaction(api.sql, (tx) => createOperatorLink(tx, config, contact, clock.now())));
  const [old, late] = [await create(), await create()];
  expectProblem(await open(old), 400, 'wrong_code');
  const sent = expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone: admin.phone }), 202);
  const proof = { phone: admin.phone, code: sent.body.devCode };
  expectStatus(await api.post('/v1/auth/otp/verify', undefined, proof), 200);
  clock.advance(15 * 60_000);
  expectProblem(await open(late), 400, 'wrong_code');
  expectStatus(await open(await create()), 200);
});
