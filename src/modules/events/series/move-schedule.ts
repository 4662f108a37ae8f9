/** What a change of the times of one occurrence means for all dates of its series. */
import { invalid } from '../../../lib/errors.ts';
import type { EventFields } from '../event-fields.ts';
import type { OccurrenceRow } from './occurrences.ts';
import { clockBetween, formatDate, type LocalTime, localTime, readDate, type Schedule } from './schedule.ts';

/** `move`: the new local time of a date. */
export type MovedSchedule = { schedule: Schedule; move: (date: LocalTime) => LocalTime };

/**
 * The schedule whose dates have the wall-clock time and the length that an occurrence has after a change.
 * @param before the occurrence, whose own time may differ from its date
 * @throws Problem `invalid_request` for another day
 */
export function moveSchedule(schedule: Schedule, before: OccurrenceRow, after: EventFields): MovedSchedule {
  const { allDay, timezone } = after;
  const start = localTime(after.startAt, timezone);
  const startBefore = localTime(before.startAt, before.timezone);
  if (!start.toPlainDate().equals(startBefore.toPlainDate()))
    throw invalid('startAt', 'must be on the same day: a change of several dates changes their time alone');
  if (!start.equals(start.round({ smallestUnit: 'minute', roundingMode: 'floor' })))
    throw invalid('startAt', 'must be on a full minute');
  const move = moveOf(schedule, before, start, allDay);
  const { rule } = schedule;
  const moveAll = (dates: Set<string>) =>
    new Set(
      [...dates].flatMap((text) => {
        const date = readDate(text, schedule.allDay);
        return date ? [formatDate(move(date), allDay)] : [];
      }),
    );
  return {
    move,
    schedule: {
      ...{ allDay, timezone, first: move(schedule.first), extra: schedule.extra.map(move) },
      rule: { ...rule, until: rule.until && moveEnd(rule.until, schedule, allDay, move) },
      excluded: moveAll(schedule.excluded),
      deleted: moveAll(schedule.deleted),
      length: clockBetween(start, localTime(after.endAt, timezone)),
      closesBefore: schedule.closesBefore,
    },
  };
}

function moveOf(
  schedule: Schedule,
  before: OccurrenceRow,
  start: LocalTime,
  allDay: boolean,
): (date: LocalTime) => LocalTime {
  if (allDay) return (date) => date.withPlainTime();
  if (schedule.allDay) return (date) => date.withPlainTime(start.toPlainTime());
  const ownTime = before.ownFields.includes('startAt');
  const from = ownTime ? readDate(before.seriesDate, false) : localTime(before.startAt, before.timezone);
  const shift = (from ?? start).toPlainTime().until(start.toPlainTime());
  return (date) => date.add(shift);
}

/** The end of a rule moves with its dates, so that it has the same ones. */
const moveEnd = (
  until: LocalTime,
  schedule: Schedule,
  allDay: boolean,
  move: (date: LocalTime) => LocalTime,
): LocalTime => (allDay === schedule.allDay && !allDay ? move(until) : until.withPlainTime('23:59:59'));

/** Whether two dates became one: from two times of a day, all-day events of one day. */
export const hasDoubledDates = ({ extra, allDay }: Schedule): boolean =>
  new Set(extra.map((date) => formatDate(date, allDay))).size < extra.length;
