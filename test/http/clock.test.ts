/** The comparison of the server's clock with the database's. Servers with another clock: test/slow/start-checks.test.ts. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Queryable } from '#pg';
import { assertClock, findClockDifference } from '../../src/server/clock-check.ts';
import { startTestApp, TestClock } from '../support/setup.ts';

const api = await startTestApp();

async function differenceOf(offsetMs: number) {
  const clock = new TestClock();
  clock.advance(offsetMs);
  const found = await findClockDifference(api.sql, clock.now);
  return found && { seconds: found.seconds, isTooLarge: found.isTooLarge };
}

test('clock: no difference below 5 s; one of 5 s or more is found in both directions, and from 60 s on is too large', async () => {
  for (const offset of [0, 4_500, -4_500]) assert.equal(await differenceOf(offset), null, `${offset}`);
  for (const seconds of [8, -8, 55, -55])
    assert.deepEqual(await differenceOf(seconds * 1_000), { seconds, isTooLarge: false });
  for (const seconds of [65, -65, 3_600]) {
    assert.deepEqual(await differenceOf(seconds * 1_000), { seconds, isTooLarge: true });
    const clock = new TestClock();
    clock.advance(seconds * 1_000);
    const direction = seconds > 0 ? 'ahead of' : 'behind';
    await assert.rejects(assertClock(api.sql, clock.now), {
      message: `the clock of this machine is ${Math.abs(seconds)} s ${direction} the clock of the database; synchronize both (NTP)`,
    });
  }
});

test('clock: a response that takes ten minutes, before or after the database reads its clock, is no difference', async () => {
  for (const [beforeMs, afterMs] of [
    [600_000, 0],
    [0, 600_000],
    [300_000, 300_000],
  ] as const) {
    const clock = new TestClock();
    clock.advance(-beforeMs);
    const slow: Queryable = {
      ...api.sql,
      query: async <R extends object>(statement: Parameters<Queryable['query']>[0]) => {
        clock.advance(beforeMs);
        const rows = await api.sql.query<R>(statement);
        clock.advance(afterMs);
        return rows;
      },
    };
    assert.equal(await findClockDifference(slow, clock.now), null);
  }
});
