/**
 * The audit trail: its entries, their transactions, their lifetime, and the effect of account deletion on
 * them.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { truncateAddress } from '#base';
import { transaction } from '#pg';
import { maintainAudit, recordAudit } from '../../src/audit/audit.ts';
import { parseSince } from '../../src/cli/audit.ts';
import { CommandError } from '../../src/cli/command/command-error.ts';
import { hashContact } from '../../src/modules/accounts/codes/hashes.ts';
import { command } from '../support/command.ts';
import { findRowsContaining } from '../support/database-snapshots.ts';
import {
  createAdmin,
  createUser,
  deleteAccount,
  fromPage,
  nextPhone,
  type Person,
  signIn,
} from '../support/factories.ts';
import { expectProblem, expectStatus, secretKey, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();

const auditKinds = async ({ id }: Pick<Person, 'id'>): Promise<string[]> => {
  const rows = await api.sql<
    { what: string }[]
  >`select what from audit where user_id = ${id} order by at, id`;
  return rows.map(({ what }) => what);
};
const wrongCode = (code: string) => (code === '000000' ? '000001' : '000000');

test('audit: entries for sign-in, logout, a signed-out device and a reused refresh token, each with a truncated address', async () => {
  const person = await createUser(api);
  const tablet = await signIn(second, person.phone);
  const { body } = await api.get('/v1/auth/sessions', person.token);
  const other = body.data.find((session: { isCurrent: boolean }) => !session.isCurrent);
  expectStatus(await api.delete(`/v1/auth/sessions/${other.id}`, person.token), 200);
  expectProblem(await api.delete(`/v1/auth/sessions/${other.id}`, person.token), 404, 'session_not_found');
  expectProblem(await api.get('/v1/auth/me', tablet.token), 401, 'token_invalid');
  const laptop = await signIn(api, person.phone);
  const refresh = (refreshToken: string) => api.post('/v1/auth/refresh', undefined, { refreshToken });
  const { body: next } = expectStatus(await refresh(laptop.refreshToken), 200);
  expectStatus(await refresh(next.refreshToken), 200);
  expectProblem(await refresh(laptop.refreshToken), 401, 'refresh_token_invalid');
  expectStatus(await api.post('/v1/auth/logout', person.token), 200);
  assert.deepEqual(await auditKinds(person), [
    'account_created',
    'signed_in',
    'device_signed_out',
    'signed_in',
    'refresh_token_reused',
    'logged_out',
  ]);
  const addresses = await api.sql`select distinct address from audit where user_id = ${person.id}`;
  assert.deepEqual(
    addresses.map(({ address }) => address),
    ['127.0.0.0/24'],
  );
});

test('audit: one entry when five wrong codes lock a number, with or without an account; no entry for later attempts', async () => {
  const person = await createUser(api);
  const stranger = nextPhone();
  const locked = () => api.sql<{ userId: string | null; what: string }[]>`
    select user_id, what from audit where what like '%_locked' order by at, id`;
  for (const phone of [person.phone, stranger]) {
    const { body } = await api.post('/v1/auth/otp/request', undefined, { phone });
    for (let i = 0; i < 4; i++)
      await api.post('/v1/auth/otp/verify', undefined, { phone, code: wrongCode(body.devCode) });
    const before = await locked();
    for (let i = 0; i < 4; i++)
      await api.post('/v1/auth/otp/verify', undefined, { phone, code: wrongCode(body.devCode) });
    assert.equal((await locked()).length, before.length + 1);
  }
  assert.deepEqual(
    (await locked()).map(({ userId, what }) => [userId, what]),
    [
      [person.id, 'sign_in_locked'],
      [null, 'sign_in_locked'],
    ],
  );
  const { body } = await api.post('/v1/me/delete-code', person.token);
  for (let i = 0; i < 5; i++)
    await api.delete('/v1/me', person.token, { confirmCode: wrongCode(body.devCode) });
  assert.equal((await locked()).at(-1)?.what, 'deletion_locked');
});

test('audit: an entry and its action are in one transaction', async () => {
  const person = await createUser(api);
  const before = await auditKinds(person);
  const trace = { secretKey, now: new Date(), address: null };
  await assert.rejects(
    transaction(api.sql, async (tx) => {
      await recordAudit(tx, trace, { userId: person.id }, 'logged_out');
      throw new Error('something else failed');
    }),
  );
  assert.deepEqual(await auditKinds(person), before);
  // If the entry cannot be inserted, the action fails.
  await api.sql`alter table audit add constraint nothing check (what <> 'logged_out') not valid`;
  const failing = await api.startAnother({ env: { LOG_LEVEL: 'silent' } });
  assert.equal((await failing.post('/v1/auth/logout', person.token)).status, 500);
  await api.sql`alter table audit drop constraint nothing`;
  expectStatus(await api.get('/v1/auth/me', person.token), 200);
});

test('audit: entries of a deleted account keep action and time, and lose every reference to the person', async () => {
  const person = await createUser(api);
  const { body } = await api.post('/v1/auth/otp/request', undefined, { phone: person.phone });
  for (let i = 0; i < 5; i++)
    await api.post('/v1/auth/otp/verify', undefined, { phone: person.phone, code: wrongCode(body.devCode) });
  assert.deepEqual(await auditKinds(person), ['account_created', 'sign_in_locked']);
  const [{ who, id } = { who: null, id: null }] = await api.sql`
    select who, id from audit where user_id = ${person.id} and what = 'account_created'`;
  expectStatus(await deleteAccount(api, person), 200);
  assert.deepEqual([...(await api.sql`select 1 from audit where who = ${who}`)], []);
  const [{ who: anonymized } = { who: null }] = await api.sql`select who from audit where id = ${id}`;
  const phoneHash = hashContact(secretKey, { kind: 'phone', value: person.phone });
  const needles = [person.id, person.phone, person.username, phoneHash.toString('hex')];
  assert.deepEqual(await findRowsContaining(api.sql, needles), []);
  const remaining =
    await api.sql`select what, user_id, address, detail from audit where who = ${anonymized} order by at, id`;
  assert.deepEqual(
    remaining.map((row) => ({ ...row })),
    ['account_created', 'account_deleted'].map((what) => ({ what, userId: null, address: null, detail: '' })),
  );
  // A new account with the same number starts with no entries.
  const again = await signIn(api, person.phone);
  assert.deepEqual(await auditKinds(again), ['account_created']);
  assert.equal((await api.sql`select 1 from audit where who = ${anonymized}`).length, 2);
});

// spec: 3 DELETE /v1/me: account: existing → deleted
test('audit: 200 with no entries for the id of a deleted account; its entries share a new random value', async () => {
  const [admin, person, other] = [await createAdmin(api), await createUser(api), await createUser(api)];
  const search = async (query: string) =>
    expectStatus(await api.get(`/v1/admin/audit?limit=50${query}`, admin.token), 200).body.data;
  const before = await search(`&userId=${person.id}`);
  assert.deepEqual(
    before.map(({ what }: { what: string }) => what),
    ['account_created'],
  );
  const [firstEntry, secondEntry] = [before[0], (await search(`&userId=${other.id}`))[0]];
  for (const account of [person, other]) expectStatus(await deleteAccount(api, account), 200);
  for (const { id } of [person, other]) assert.deepEqual(await search(`&userId=${id}`), []);
  const entries: { id: string; who: string; what: string; userId: string | null }[] = await search('');
  const remaining = [firstEntry, secondEntry].map(({ id }) => {
    const entry = entries.find((each) => each.id === id) ?? assert.fail(id);
    return entries.filter(({ who }) => who === entry.who);
  });
  for (const accountEntries of remaining)
    assert.deepEqual(
      accountEntries.map(({ what, userId }) => [what, userId]),
      [
        ['account_deleted', null],
        ['account_created', null],
      ],
    );
  assert.ok(![firstEntry.who, secondEntry.who].includes(remaining[0]?.[0]?.who));
  assert.notEqual(remaining[0]?.[0]?.who, remaining[1]?.[0]?.who);
});

test('audit: the CLI adds entries for role changes and prints the trail', async () => {
  const person = await createUser(api, { username: 'audited.person' });
  for (const verb of ['grant', 'revoke'])
    assert.equal((await command(api.target, 'admin', verb, person.phone)).code, 0);
  const deleted = await createUser(api);
  expectStatus(await deleteAccount(api, deleted), 200);
  const { code, stdout } = await command(api.target, 'audit', '--since', '1h');
  assert.equal(code, 0);
  const lines = stdout.split('\n').filter((line) => line.includes(person.id));
  assert.deepEqual(
    lines.map((line) => line.split('\t').slice(1)),
    [
      ['account_created', person.id, '@audited.person', '127.0.0.0/24'],
      ['role_changed', person.id, '@audited.person', '-', 'to admin, by a command'],
      ['role_changed', person.id, '@audited.person', '-', 'to user, by a command'],
    ],
  );
  assert.match(stdout, /\taccount_deleted\tgone:[\w-]{12}\t-\t-\n/);
  assert.ok(!stdout.includes(deleted.id) && !stdout.includes(person.phone));
  const later = await command(api.target, 'audit', '--since', '2999-01-01');
  assert.deepEqual([later.code, later.stdout], [0, '']);
  const wrong = await command(api.target, 'audit', '--since', 'yesterday');
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /"yesterday" is not a time/);
});

test('audit: admin grant and revoke: exit code 1 for a number without an account; create creates it, and signs it in', async () => {
  const phone = nextPhone();
  const accounts = () => api.sql`select role from users where phone = ${phone}`;
  for (const [verb, hint] of [
    ['grant', ' Check it; "admin create" creates an account for it.'],
    ['revoke', ''],
  ] as const) {
    assert.deepEqual(await command(api.target, 'admin', verb, phone), {
      code: 1,
      stdout: '',
      stderr: `No account has the number ${phone}.${hint}\n`,
    });
    assert.deepEqual([...(await accounts())], []);
  }
  const misused = await command(api.target, 'admin', 'revoke', phone, '--name', 'Noor');
  assert.deepEqual([misused.code, misused.stdout], [1, '']);
  assert.match(misused.stderr, /^Usage: admin create CONTACT \[--name NAME\][^\n]+\n$/);
  const tooLong = await command(api.target, 'admin', 'create', phone, '--name', 'x'.repeat(81));
  assert.deepEqual([tooLong.code, tooLong.stderr], [1, '--name must be one line of 1 to 80 characters.\n']);
  assert.deepEqual([...(await accounts())], []);
  const made = await command(api.target, 'admin', 'create', phone, '--name', 'Noor Haddad');
  assert.deepEqual([made.code, made.stderr], [0, '']);
  const lines = made.stdout.split('\n');
  assert.deepEqual(lines.slice(0, 3), [
    `Created an account for ${phone}.`,
    `${phone} is an admin now.`,
    `This address signs ${phone} in, once, within 15 minutes:`,
  ]);
  const body = { token: new URL(lines[3] ?? '').searchParams.get('token') };
  const entered = await api.call('POST', '/v1/auth/email/link', { body, headers: fromPage });
  const { user } = expectStatus(entered, 200).body;
  assert.deepEqual([user.phone, user.name, user.role], [phone, 'Noor Haddad', 'admin']);
  assert.deepEqual([...(await accounts())], [{ role: 'admin' }]);
  const again = await command(api.target, 'admin', 'grant', phone);
  assert.equal(again.stdout, `${phone} is an admin now.\n`);
  const revoked = await command(api.target, 'admin', 'revoke', phone);
  assert.equal(revoked.stdout, `${phone} is not an admin now.\n`);
  assert.deepEqual([...(await accounts())], [{ role: 'user' }]);
});

test('audit: --since accepts days, hours, dates and timestamps', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  assert.equal(parseSince('7d', now).toISOString(), '2026-11-14T12:00:00.000Z');
  assert.equal(parseSince('12h', now).toISOString(), '2026-11-21T00:00:00.000Z');
  assert.equal(parseSince('2026-11-01', now).toISOString(), '2026-11-01T00:00:00.000Z');
  assert.equal(parseSince('2026-11-01T10:00:00+01:00', now).toISOString(), '2026-11-01T09:00:00.000Z');
  for (const wrong of ['', '7', 'd', '-1d', '2026-13-01'])
    assert.throws(() => parseSince(wrong, now), CommandError);
});

test('audit: addresses are truncated to /24 for IPv4 and /48 for IPv6', () => {
  assert.equal(truncateAddress('203.0.113.77'), '203.0.113.0/24');
  assert.equal(truncateAddress('::ffff:203.0.113.77'), '203.0.113.0/24');
  assert.equal(truncateAddress('2001:db8:1:2::3'), '2001:db8:1::/48');
  assert.equal(truncateAddress('::1'), '0:0:0::/48');
});

test('housekeeping: removes audit entries older than a year, and no newer ones', async () => {
  const person = await createUser(api);
  const at = (days: number) => new Date(Date.now() - days * 86_400_000);
  await transaction(api.sql, async (tx) => {
    for (const days of [364, 366])
      await recordAudit(
        tx,
        { secretKey, now: at(days), address: null },
        { userId: person.id },
        'logged_out',
        `${days}`,
      );
  });
  await maintainAudit(api.sql, new Date(), 365);
  const rows = await api.sql`select detail from audit where user_id = ${person.id} order by at`;
  assert.deepEqual(
    rows.map(({ detail }) => detail),
    ['364', ''],
  );
});
