/** Moves the dates of a series under review with its event. */
import { invalid } from '../../lib/errors.ts';
import type { EnteredEvent } from '../events/schemas.ts';
import { localTime } from '../events/series/schedule.ts';
import type { ReviewedSeries } from './compare-entries.ts';
import { differsIn } from './entry-fields.ts';
import { clockOfDate, dateOnClock, hoursOf, noChangeOfDates } from './series-change.ts';
import { scheduleOfFirst } from './series-dates.ts';

/** @throws Problem `invalid_request` for times that the series cannot have */
export function moveReviewed(
  series: ReviewedSeries,
  before: EnteredEvent,
  after: EnteredEvent,
): ReviewedSeries {
  if (!differsIn('startAt', before, after)) return series;
  const clockOf = ({ startAt, timezone }: EnteredEvent) =>
    clockOfDate(localTime(new Date(startAt), timezone));
  const [from, to] = [{ clock: clockOf(before) }, { clock: clockOf(after), allDay: after.allDay }];
  const move = (date: string) => dateOnClock(date, from, to);
  const moved = {
    ...series,
    extraDates: series.extraDates.map(move),
    excludedDates: series.excludedDates.map(move),
    changedDates: series.changedDates.map(({ date, change }) => ({ date: move(date), change })),
    next: series.next.map(move),
  };
  const schedule = scheduleOfFirst(after, moved);
  if (!series.isKnown) return moved;
  const isSameDay = (a: EnteredEvent, b: EnteredEvent) =>
    localTime(new Date(a.startAt), a.timezone)
      .toPlainDate()
      .equals(localTime(new Date(b.startAt), b.timezone).toPlainDate());
  if (!isSameDay(before, after))
    throw invalid('startAt', 'must be on the same day: of a series that exists, the time alone changes here');
  const change = series.change ?? noChangeOfDates(from.clock);
  return { ...moved, change: { ...change, hours: hoursOf(schedule) } };
}
