/**
 * Compares the clock of this machine with the database's, which is the same for all servers. Servers stamp what they
 * store with their own time: on a server whose clock is off, codes and tokens of the other servers are expired or not
 * valid yet.
 */
import { one, type Queryable, sql } from '#pg';

/** In ms: the difference from which a server warns, and the one with which it does not start. */
const [warnFromMs, refuseFromMs] = [5_000, 60_000];

/** `seconds` is positive if the clock of this machine is ahead. */
export type ClockDifference = { seconds: number; isTooLarge: boolean; text: string };

/**
 * Measures how far the clock of this machine is ahead of the database's, in ms. The database reads its clock between the two
 * readings of this one, so only what lies outside of them is a difference: a slow response causes no false alarm.
 */
export async function measureClock(db: Queryable, clock: () => Date): Promise<number> {
  const before = clock().getTime();
  const row = one(await db.query<{ now: Date }>(sql`select clock_timestamp() as now`));
  const after = clock().getTime();
  const now = row.now.getTime();
  // The clock may have been set back in between.
  const [earliest, latest] = before <= after ? [before, after] : [after, before];
  return now < earliest ? earliest - now : Math.min(latest - now, 0);
}

/** Returns null for a difference below 5 s. */
export function toClockDifference(differenceMs: number): ClockDifference | null {
  const size = Math.abs(differenceMs);
  if (size < warnFromMs) return null;
  const direction = differenceMs > 0 ? 'ahead of' : 'behind';
  return {
    seconds: Math.round(differenceMs / 1_000),
    isTooLarge: size >= refuseFromMs,
    text: `the clock of this machine is ${Math.round(size / 1_000)} s ${direction} the clock of the database; synchronize both (NTP)`,
  };
}

export const findClockDifference = async (
  db: Queryable,
  clock: () => Date,
): Promise<ClockDifference | null> => toClockDifference(await measureClock(db, clock));

/** @throws Error if the difference is a minute or more */
export async function assertClock(db: Queryable, clock: () => Date): Promise<void> {
  const difference = await findClockDifference(db, clock);
  if (difference?.isTooLarge) throw clockError(difference);
}

export const clockError = ({ text }: ClockDifference) =>
  Object.assign(new Error(text), { code: 'CLOCK_DIFFERS', stack: '' });
