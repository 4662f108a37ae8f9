/** Which occurrences of a series exist ahead of their time. */

import type { Series } from './repo.ts';
import { comingDates, type PlannedDate, type Schedule } from './schedule.ts';

/** Occurrences that have not ended exist for this long ahead, at most so many, and at least two. */
const horizonMonths = 13;
export const maxComing = 60;
const minComing = 2;

/** `dueAt`: when the following occurrence is to be made; null if there is none. */
export type Plan = { dates: PlannedDate[]; dueAt: Date | null };

export const planOf = ({ schedule, status }: Pick<Series, 'schedule' | 'status'>, now: Date): Plan =>
  status === 'ended' ? { dates: [], dueAt: null } : planDates(schedule, now);

function planDates(schedule: Schedule, now: Date): Plan {
  const coming = comingDates(schedule, now, maxComing + 1);
  const horizon = monthsLater(now, horizonMonths);
  const dates = coming.filter(({ times }, i) => i < maxComing && (i < minComing || times.startAt < horizon));
  const [first, next] = [dates[0], coming[dates.length]];
  if (!first || !next) return { dates, dueAt: null };
  const [firstEnd, inHorizon] = [first.times.endAt, monthsLater(next.times.startAt, -horizonMonths)];
  // The following date needs a free place among the most that exist, or makes up the fewest.
  if (dates.length === maxComing) return { dates, dueAt: later(firstEnd, inHorizon) };
  return { dates, dueAt: dates.length === minComing ? earlier(firstEnd, inHorizon) : inHorizon };
}

const monthsLater = (at: Date, months: number): Date =>
  new Date(at.toTemporalInstant().toZonedDateTimeISO('UTC').add({ months }).epochMilliseconds);
const later = (a: Date, b: Date): Date => (a > b ? a : b);
const earlier = (a: Date, b: Date): Date => (a < b ? a : b);
