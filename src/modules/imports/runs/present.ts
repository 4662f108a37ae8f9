/** Imports and their entries as they leave the server. */
import { describeRule, parseRule } from '#recurrence';
import type { EnteredEvent } from '../../events/schemas.ts';
import { clockOf, instantOf, localTime, readDate } from '../../events/series/schedule.ts';
import type { ReviewedSeries } from '../compare-entries.ts';
import { dateOrders } from '../tables/date-order.ts';
import type { EntryRow, Run } from './repo.ts';
import type { Import, ImportEntry } from './schemas.ts';

export function toImport({ id, status, counts, problem, questions, progress, createdAt }: Run): Import {
  const { new: added = 0, changed = 0, same = 0, doubtful = 0, refused = 0, waiting = 0 } = counts;
  return {
    ...{ id, status, problem, progress, createdAt },
    counts: { new: added, changed, same, doubtful, refused, waiting },
    questions: questions.map(({ id, column, example }) => ({
      ...{ id, column, kind: 'dateOrder' as const, options: [...dateOrders], example },
    })),
  };
}

/** @param language in which a rule is said */
export function toEntry(row: EntryRow, language: string): ImportEntry {
  const { n, state, event, eventId, doubts, duplicates, line, reason } = row;
  return {
    ...{ n, state, event, eventId, doubts, duplicates, line, reason },
    // Entries of earlier versions have none.
    series: row.series && event ? toSeries(row.series, event, language) : null,
  };
}

function toSeries(
  { rrule, extraDates, excludedDates, changedDates, next }: ReviewedSeries,
  { startAt, timezone, allDay }: EnteredEvent,
  language: string,
): ImportEntry['series'] {
  const zone = { timezone, allDay };
  const startOf = (text: string): Date[] => {
    const date = readDate(text, allDay);
    const moved = changedDates.find((changed) => changed.date === text)?.change.startAt;
    return moved ? [new Date(moved)] : date ? [instantOf(date, timezone)] : [];
  };
  return {
    ...{ rrule, extraDates, excludedDates },
    changedDates: changedDates.map(({ date, change }) => ({ date, event: change })),
    ruleText: describeRule(parseRule(rrule, clockOf(zone)), localTime(new Date(startAt), timezone), language),
    next: next.flatMap(startOf),
  };
}
