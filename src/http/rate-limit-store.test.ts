import assert from 'node:assert/strict';
import test, { afterEach } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/client.ts';
import type { Statement } from '../db/sql.ts';
import { RateLimitStore, windowMs } from './rate-limit-store.ts';

const limit = 600;
/** The number of requests that a server accepts without a report. */
const maxUnreported = 30;
/** More callers than the store keeps in memory. */
const manyCallers = 60_000;

/**
 * A table of counts that stores each report when `finish` is called, or at once after `finishAll`. `reports`
 * has the number of callers of each report.
 */
function createCounts() {
  const totals = new Map<string, number>();
  const reports: number[] = [];
  const open: (() => void)[] = [];
  let isOpen = false;
  const query = async ({ values }: Statement) => {
    const [, callers, numbers] = values as [Date, string[], number[]];
    reports.push(callers.length);
    await (isOpen ? nextTurn() : new Promise<void>((resolve) => open.push(resolve)));
    return callers.map((caller, i) => {
      const requests = (totals.get(caller) ?? 0) + (numbers[i] ?? 0);
      totals.set(caller, requests);
      return { caller, requests };
    });
  };
  const finish = async () => {
    open.shift()?.();
    await nextTurn();
  };
  const finishAll = async () => {
    isOpen = true;
    while (open.length > 0) await finish();
  };
  return { db: { query } as unknown as Database, totals, reports, finish, finishAll };
}

let now = Date.UTC(2030, 0, 1);
// Requests that still wait return in the next minute, so that a failed test ends.
afterEach(() => {
  now += windowMs;
});

const openStore = (db: Database) =>
  new RateLimitStore({ db, secretKey: 'key', clock: () => new Date(now), limit });

/** Counts requests of `caller`. */
const countMany = (store: RateLimitStore, caller: string, requests: number) =>
  Array.from({ length: requests }, () => store.count(caller));

test('limit: requests that wait for a report get a response after counts were evicted, and send no empty reports', async () => {
  const { db, totals, reports, finish, finishAll } = createCounts();
  const store = openStore(db);
  // The caller has been reported before, so its count is not evicted.
  await Promise.all(countMany(store, 'busy', maxUnreported / 2));
  await finish();
  // While a report of another caller runs, the caller uses all requests that need no report.
  await Promise.all(countMany(store, 'other', maxUnreported / 2));
  const waiting = Promise.all(countMany(store, 'busy', maxUnreported + 1));
  for (let i = 0; i < manyCallers; i++) await store.count(`caller ${i}`);
  await finishAll();
  const outcome = await Promise.race([waiting, sleep(500, null)]);
  assert.ok(outcome, 'the requests did not return');
  assert.deepEqual(
    outcome.map(({ current }) => current),
    Array.from({ length: maxUnreported + 1 }, (_, i) => maxUnreported / 2 + 1 + i),
  );
  assert.ok(!reports.includes(0), 'a report had no callers');
  assert.deepEqual([...totals.values()].sort(), [maxUnreported / 2, maxUnreported + maxUnreported / 2]);
});

test('limit: a caller whose requests are not yet reported keeps them when the counts of others are evicted', async () => {
  const { db, finishAll } = createCounts();
  const store = openStore(db);
  await Promise.all(countMany(store, 'other', maxUnreported / 2));
  await Promise.all(countMany(store, 'busy', maxUnreported));
  for (let i = 0; i < manyCallers; i++) await store.count(`caller ${i}`);
  await finishAll();
  assert.equal((await store.count('busy')).current, maxUnreported + 1);
});
