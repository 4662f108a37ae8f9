import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, transaction } from '#pg';
import { deleteExpiredCodes } from '../../src/modules/accounts/codes/repo.ts';
import { deleteExpiredNetworks } from '../../src/modules/accounts/codes/requesters.ts';
import { deleteExpiredSessions } from '../../src/modules/accounts/sessions/repo.ts';
import { createUser, nextPhone } from '../support/factories.ts';
import { startTestApp, TestClock } from '../support/setup.ts';

const clock = new TestClock();
const api = await startTestApp({ clock });

const countRows = async () => {
  const [row] = await api.sql`
    select (select count(*)::int from sessions) as sessions, (select count(*)::int from codes) as codes,
      (select count(*)::int from code_tries) as tries, (select count(*)::int from code_sends) as sends,
      (select count(*)::int from known_networks) as networks`;
  return row;
};

async function deleteExpired(): Promise<void> {
  await deleteExpiredSessions(api.sql, clock.now());
  await deleteExpiredCodes(api.sql, clock.now());
  await deleteExpiredNetworks(api.sql, clock.now());
}

test('housekeeping: removes ended sessions, expired codes, tries, old networks and counters of earlier days, and no newer rows', async () => {
  const { phone } = await createUser(api);
  await api.post('/v1/auth/otp/verify', undefined, { phone, code: '000000' });
  await api.post('/v1/auth/otp/request', undefined, { phone: nextPhone() });
  await api.sql`insert into code_sends (scope, day, sent) values ('everybody', ${clock.now()}, 1)`;
  assert.deepEqual(await countRows(), { sessions: 1, codes: 2, tries: 1, sends: 2, networks: 1 });
  await deleteExpired();
  assert.deepEqual(await countRows(), { sessions: 1, codes: 2, tries: 1, sends: 2, networks: 1 });

  clock.advance(25 * 3_600_000);
  await deleteExpired();
  assert.deepEqual(await countRows(), { sessions: 1, codes: 0, tries: 0, sends: 0, networks: 1 });

  clock.advance(30 * 86_400_000);
  await deleteExpired();
  assert.deepEqual(await countRows(), { sessions: 0, codes: 0, tries: 0, sends: 0, networks: 1 });

  clock.advance(370 * 86_400_000);
  await deleteExpired();
  assert.deepEqual(await countRows(), { sessions: 0, codes: 0, tries: 0, sends: 0, networks: 0 });
});

test('housekeeping: a session that is refreshed while expired sessions are deleted stays', async () => {
  const person = await createUser(api);
  const after = new Date(clock.now().getTime() + 400 * 86_400_000);
  const { deleting } = await transaction(api.sql, async (tx) => {
    await tx.query(sql`
      update sessions set refresh_expires_at = ${new Date(after.getTime() + 86_400_000)} where user_id = ${person.id}`);
    const deleting = deleteExpiredSessions(api.sql, after);
    await sleep(300);
    return { deleting };
  });
  await deleting;
  assert.equal((await api.sql`select 1 from sessions where user_id = ${person.id}`).length, 1);
});
