import assert from 'node:assert/strict';
import test, { afterEach } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Due, SharedCounts, type Totals, windowMs } from './shared-counts.ts';

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
  /** By minute and caller. */
  const totals = new Map<string, number>();
  const state = { isAway: false };
  const reports: number[] = [];
  const open: (() => void)[] = [];
  let isOpen = false;
  const report = async (due: Due) => {
    reports.push(due.length);
    await (isOpen ? nextTurn() : new Promise<void>((resolve) => open.push(resolve)));
    if (state.isAway) throw new Error('the database is away');
    const now = new Date(uptime + databaseOffset);
    const minute = new Date(now.getTime() - (now.getTime() % windowMs));
    const byCaller = new Map<string, number>();
    for (const { caller, requests } of due) {
      const key = `${minute.getTime()} ${caller}`;
      totals.set(key, (totals.get(key) ?? 0) + requests);
      byCaller.set(caller, totals.get(key) ?? 0);
    }
    return { now, minute, byCaller };
  };
  const finish = async () => {
    open.shift()?.();
    await nextTurn();
  };
  const finishAll = async () => {
    isOpen = true;
    while (open.length > 0) await finish();
  };
  return { report, state, totals, reports, finish, finishAll };
}

/** The monotonic clock of all servers, in ms. */
let uptime = 0;
/** The clock of the database is this much ahead of `uptime`. */
const databaseOffset = Date.UTC(2030, 0, 1);
// Requests that still wait return in the next minute, so that a failed test ends.
afterEach(() => {
  uptime += windowMs;
});

/** In ms, by the clock of the database. */
const untilNextMinute = () => windowMs - ((uptime + databaseOffset) % windowMs);

/** @param skewMs by which the clock of the server is ahead of that of the database */
const openCounts = (report: (due: Due) => Promise<Totals>, skewMs = 0) =>
  new SharedCounts({
    report,
    clock: () => new Date(uptime + databaseOffset + skewMs),
    uptime: () => uptime,
    limit,
  });

/** Counts requests of `caller`. */
const countMany = (store: SharedCounts, caller: string, requests: number) =>
  Array.from({ length: requests }, () => store.count(caller));

test('limit: requests that wait for a report get a response after counts were evicted, and send no empty reports', async () => {
  const { report, totals, reports, finish, finishAll } = createCounts();
  const store = openCounts(report);
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
    outcome.map(({ remaining }) => limit - remaining),
    Array.from({ length: maxUnreported + 1 }, (_, i) => maxUnreported / 2 + 1 + i),
  );
  assert.ok(!reports.includes(0), 'a report had no callers');
  assert.deepEqual([...totals.values()].sort(), [maxUnreported / 2, maxUnreported + maxUnreported / 2]);
});

test('limit: a caller whose requests are not yet reported keeps them when the counts of others are evicted', async () => {
  const { report, finishAll } = createCounts();
  const store = openCounts(report);
  await Promise.all(countMany(store, 'other', maxUnreported / 2));
  await Promise.all(countMany(store, 'busy', maxUnreported));
  for (let i = 0; i < manyCallers; i++) await store.count(`caller ${i}`);
  await finishAll();
  assert.equal((await store.count('busy')).remaining, limit - maxUnreported - 1);
});

test('limit: two servers whose clocks are 90 s apart share the minutes of the database', async () => {
  const { report, finishAll } = createCounts();
  await finishAll();
  const stores = [openCounts(report), openCounts(report, 90_000)];
  const countPassed = async () => {
    let passed = 0;
    for (let i = 0; i < 3 * limit; i++) {
      const count = await stores[i % 2]?.count('busy');
      if (count && count.remaining >= 0) passed++;
      // Between requests, the reports end.
      await nextTurn();
    }
    return passed;
  };
  const first = await countPassed();
  assert.ok(first >= limit && first <= limit + 2 * maxUnreported, `${first}`);
  uptime += untilNextMinute() - 1;
  const ttls = await Promise.all(stores.map(async (store) => (await store.count('busy')).ttl));
  assert.deepEqual(ttls, [1, 1]);
  assert.equal(await countPassed(), 0);
  uptime += 1;
  const second = await countPassed();
  assert.ok(second >= limit && second <= limit + 2 * maxUnreported, `${second}`);
});

test('limit: while the database is away, the minutes are those of its last report', async () => {
  const { report, state, finishAll } = createCounts();
  await finishAll();
  const store = openCounts(report, 90_000);
  await Promise.all(countMany(store, 'busy', maxUnreported / 2));
  await nextTurn();
  state.isAway = true;
  const counts = await Promise.all(countMany(store, 'busy', 2 * limit));
  assert.equal(counts.filter(({ remaining }) => remaining >= 0).length, limit - maxUnreported / 2);
  uptime += untilNextMinute() - 1;
  assert.deepEqual(await store.count('busy'), { remaining: -1, ttl: 1 });
  uptime += 1;
  assert.deepEqual(await store.count('busy'), { remaining: limit - 1, ttl: windowMs });
});
