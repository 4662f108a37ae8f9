/** Notifications of server processes: the jobs deliver by themselves, also after kill -9 in the middle. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../support/factories.ts';
import { countNotified, insertGuests } from '../support/many-guests.ts';
import { cleanUpAfterTests, createTempDir, sendRequest, serve, signIn, stop } from '../support/processes.ts';
import { secretKey } from '../support/setup.ts';
import { openSql } from '../support/sql-tag.ts';
import { cloneDatabase } from '../support/test-database.ts';

cleanUpAfterTests();

const guests = 60_000;

test('fan-out: 60,000 guests of a cancelled event get one notification each although kill -9 ends two servers during it', async () => {
  const target = await cloneDatabase();
  const env = {
    DATABASE_URL: target,
    DATA_DIR: await createTempDir(),
    SECRET_KEY: secretKey,
  };
  const sql = await openSql(target, 'tests');
  const start = () => serve({ env });
  const [first, second] = await Promise.all([start(), start()]);
  const token = await signIn(first);
  const { body: event } = await sendRequest(first, 'POST', '/v1/events', token, eventBody());
  const id = event.id ?? '';
  await insertGuests(sql, id, guests);

  const path = `/v1/events/${id}`;
  assert.equal((await sendRequest(first, 'PATCH', path, token, { status: 'cancelled' })).status, 200);
  const waitFor = async (people: number) => {
    for (let waited = 0; waited < 60_000; waited += 10) {
      const state = await countNotified(sql, id);
      if (state.people >= people) return state;
      await sleep(10);
    }
    return assert.fail(`fewer than ${people} guests are notified`);
  };
  await waitFor(1_000);
  await Promise.all([stop(first, 'SIGKILL'), stop(second, 'SIGKILL')]);
  const interrupted = await countNotified(sql, id);
  assert.ok(interrupted.people < guests, 'the fan-out ended before the servers did');
  assert.equal(interrupted.sum, interrupted.people);

  const third = await start();
  await waitFor(guests);
  for (let waited = 0; waited < 10_000 && (await countNotified(sql, id)).pending > 0; waited += 50)
    await sleep(50);
  assert.deepEqual(await countNotified(sql, id), { people: guests, sum: guests, pending: 0 });
  assert.equal(await stop(third, 'SIGTERM'), 0);
  await sql.end();
});
