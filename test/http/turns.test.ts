/** Turns: how many requests of one client network run at the same time, and that they do not hold up others. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, transaction } from '#pg';
import { createEvent, createUser, fromPage, signInBrowser } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { skipsOnCitus } from '../support/test-database.ts';

// Each client has the address of its X-Forwarded-For.
const api = await startTestApp({
  env: { RATE_LIMIT: '10000', TRUST_PROXY: 'loopback' },
  pages: true,
  hasTimeLimits: true,
});
const organizer = await createUser(api);
const [locked, free] = await Promise.all([createEvent(api, organizer), createEvent(api, organizer)]);

const patch = (address: string, id: string, title: string) =>
  api.call('PATCH', `/v1/events/${id}`, {
    token: organizer.token,
    body: { title },
    headers: { 'x-forwarded-for': address },
  });

async function countLockWaits(): Promise<number> {
  const [row] = await api.sql<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return row?.n ?? 0;
}

/** Waits until `count` statements wait for locks, or for two seconds. */
async function lockWaits(count: number): Promise<void> {
  while ((await countLockWaits()) < count) await sleep(20);
}

test('turns: 4 of 12 requests of one address run at a time; another address gets its 200 meanwhile, then all do', {
  skip: skipsOnCitus('This counts who waits for locks, and on Citus they wait on the workers.'),
}, async () => {
  const attack = await transaction(api.sql, async (tx) => {
    await tx.query(sql`select 1 from events where id = ${locked.id} for update`);
    const waiting = Array.from({ length: 12 }, (_, i) => patch('192.0.2.1', locked.id, `Title ${i}`));
    await lockWaits(4);
    expectStatus(await patch('192.0.2.2', free.id, 'Another title'), 200);
    const page = await api.call('GET', '/v1/events', { headers: { 'x-forwarded-for': '192.0.2.2' } });
    expectStatus(page, 200);
    assert.equal(await countLockWaits(), 4);
    return { waiting };
  });
  for (const response of await Promise.all(attack.waiting)) expectStatus(response, 200);
});

test('turns: one of 6 pages of an address is made at a time; another address gets its page meanwhile, then all do', {
  skip: skipsOnCitus('This counts who waits for locks, and on Citus they wait on the workers.'),
}, async () => {
  // A number gets one code in a minute.
  api.clock.advance(60_000);
  const cookie = await signInBrowser(api, organizer.phone);
  const cancel = () =>
    fetch(`${api.url}/e/${locked.id}/cancel?/cancel`, {
      method: 'POST',
      body: new URLSearchParams(),
      headers: { ...fromPage, accept: 'text/html', cookie, 'x-forwarded-for': '192.0.2.5' },
      redirect: 'manual',
    });
  const attack = await transaction(api.sql, async (tx) => {
    await tx.query(sql`select 1 from events where id = ${locked.id} for update`);
    const waiting = Array.from({ length: 6 }, cancel);
    await lockWaits(1);
    const page = await fetch(`${api.url}/e/${free.id}`, { headers: { 'x-forwarded-for': '192.0.2.6' } });
    assert.equal(page.status, 200);
    assert.equal(await countLockWaits(), 1);
    return { waiting };
  });
  for (const response of await Promise.all(attack.waiting)) assert.equal(response.status, 303);
});

test('turns: a request that waits until its timeout gets a 503, and the turns after it go on', async () => {
  const waiting = await transaction(api.sql, async (tx) => {
    await tx.query(sql`select 1 from events where id = ${locked.id} for update`);
    const sent = Array.from({ length: 6 }, (_, i) => patch('192.0.2.3', locked.id, `Title ${i}`));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    assert.deepEqual(statuses, Array(6).fill(503));
    return patch('192.0.2.3', free.id, 'The next title');
  });
  expectStatus(await waiting, 200);
});
