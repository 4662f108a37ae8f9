/** Two browsers, on two servers, that set the server up at the same time. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { AdvisoryLock } from '../../src/schema/locks.ts';
import { connectionOf, untilWaiting } from '../support/blocked-transactions.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { cookieOf, printToken, setUp } from './setup-client.ts';

// spec: 5 GET /v1/setup, POST /v1/setup: the first admin
test('setup: of two requests on two servers at the same time, one makes the admin; the other is a 404', async () => {
  const api = await startTestApp();
  const second = await api.startAnother();
  const token = await printToken(api);
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  // Both have checked the token, and wait for the lock under which they check it again.
  const holder = api.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${AdvisoryLock.roleChange})`;
    await connectionOf(tx);
    await isReleased;
  });
  const requests = [
    setUp(api, token, { email: 'noor@example.org', name: 'Of Noor' }),
    setUp(second, token, { email: 'mara@example.org', name: 'Of Mara' }),
  ];
  await untilWaiting(api.sql, 2);
  release();
  await holder;
  const responses = await Promise.all(requests);
  const won = responses.find(({ status }) => status === 200);
  const lost = responses.find(({ status }) => status !== 200);
  assert.ok(won && lost);
  expectProblem(lost, 404, 'setup_closed');
  const admins = await api.sql`select email from users where role = 'admin'`;
  assert.deepEqual([...admins], [{ email: won.body.user.email }]);
  assert.equal((await api.sql`select 1 from users`).length, 1);
  const headers = { cookie: cookieOf(won) };
  const { body } = expectStatus(await second.call('GET', '/v1/admin/settings', { headers }), 200);
  assert.equal(body.name, won.body.user.email.startsWith('noor') ? 'Of Noor' : 'Of Mara');
});
