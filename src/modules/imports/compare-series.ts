/** Compares what a file says of a series with the series that an earlier import made of it. */
import { isDeepStrictEqual } from 'node:util';
import type { EventFields } from '../events/event-fields.ts';
import type { ImportedEvent } from '../events/imports.ts';
import type { EnteredEvent, EventChange } from '../events/schemas.ts';
import { enteredFields } from '../events/series/own-fields.ts';
import type { Series } from '../events/series/repo.ts';
import { formatDate, hasDate, type LocalTime, timesOf } from '../events/series/schedule.ts';
import { dateChange } from './date-change.ts';
import type { SeriesContent } from './describe-series.ts';
import type { EntryContent } from './entry-content.ts';
import { isOfTimes } from './entry-fields.ts';
import type { ReadEntry, ReplacedTime } from './read-entries.ts';
import { changeOfDates, type SaidSeries, type SeriesChange } from './series-change.ts';
import { dateAt } from './series-dates.ts';
import { toEntered } from './to-entered.ts';

export type KnownSeries = ImportedEvent<SaidSeries> & { series: Series[] };

/** What a file changes of a series. `content`: what it says now. */
export type ComparedSeries = {
  change: EventChange | null;
  seriesChange: SeriesChange | null;
  event: EnteredEvent;
  series: SeriesContent;
  content: SaidSeries;
};

const onlyOnce = { rrule: 'FREQ=DAILY;COUNT=1', extraDates: [], excludedDates: [], changedDates: [] };

/** The event of a series as requests have it: with the times of its first date. */
export function enteredSeries({ fields, schedule, status }: Series): EnteredEvent {
  const event = { ...enteredFields(fields), ...timesOf(schedule, schedule.first) } as EventFields;
  return toEntered(event, status === 'ended' ? 'cancelled' : 'scheduled');
}

type Options = {
  keepsEdits: boolean;
  /** Of fields without times, in which the file differs from what it said before. */
  changeOf: (
    entry: Extract<ReadEntry, { kind: 'event' }>,
    current: EnteredEvent,
    said: EntryContent,
    isAddressHidden: boolean,
  ) => EventChange;
};

/** @returns null if what the file said before is not known */
export function compareSeries(
  entry: ReadEntry,
  { series: parts, content: said }: KnownSeries,
  { keepsEdits, changeOf }: Options,
): ComparedSeries | null {
  const last = parts.at(-1);
  if (!last || !said || entry.kind === 'refused') return null;
  const current = enteredSeries(last);
  const same = { change: null, seriesChange: null, event: current, series: said.series, content: said };
  if (entry.ofSeries) return compareDate(entry, entry.ofSeries.time, { ...same, last, said });
  if (entry.kind === 'removal') return cancelled(same);
  const content: SaidSeries = { ...entry.content, series: entry.series?.said ?? onlyOnce };
  const all = changeOf(entry, current, said, last.fields.exactPlace != null);
  const fields = Object.entries(all).filter(([name]) => !isOfTimes(name as keyof EntryContent));
  const change = fields.length > 0 ? (Object.fromEntries(fields) as EventChange) : null;
  const seriesChange = changeOfDates({ before: said, after: content, parts, keepsEdits });
  return {
    change,
    seriesChange,
    event: eventAfter(current, change, seriesChange, content),
    series: content.series,
    content,
  };
}

/** What would be stored: the fields after the change, and the times of the first date. */
function eventAfter(
  { status, ...current }: EnteredEvent,
  change: EventChange | null,
  seriesChange: SeriesChange | null,
  { startAt, endAt, allDay = false, timezone }: EntryContent,
): EnteredEvent {
  const isMoved = seriesChange !== null && (seriesChange.rule !== null || seriesChange.hours !== null);
  return {
    ...current,
    ...change,
    ...(isMoved && { startAt, endAt, allDay, ...(timezone && { timezone }) }),
    status: change?.status ?? status,
  } as EnteredEvent;
}

function cancelled(same: ComparedSeries): ComparedSeries {
  const content = { ...same.content, status: 'cancelled' as const };
  if (same.content.status === 'cancelled') return { ...same, content };
  return { ...same, content, change: { status: 'cancelled' }, event: { ...same.event, status: 'cancelled' } };
}

/** A changed or cancelled date whose series is not in the file. */
function compareDate(
  entry: Exclude<ReadEntry, { kind: 'refused' }>,
  time: ReplacedTime,
  { last, said, ...same }: ComparedSeries & { last: Series; said: SaidSeries },
): ComparedSeries {
  const { schedule } = last;
  const local = localOf(time, last);
  const date = formatDate(local, schedule.allDay);
  const exists = hasDate(schedule, local);
  if (entry.kind === 'removal' && !exists) return same;
  const change: EventChange =
    entry.kind === 'removal' ? { status: 'cancelled' } : dateChange(entry, said, timesOf(schedule, local));
  const before = said.series.changedDates.find((one) => one.date === date);
  const { series } = said;
  const content = {
    ...said,
    series: {
      ...series,
      extraDates: exists ? series.extraDates : [...series.extraDates, date].sort(),
      changedDates: [
        ...series.changedDates.filter((one) => one.date !== date),
        ...(Object.keys(change).length > 0 ? [{ date, change }] : []),
      ],
    },
  };
  if (isDeepStrictEqual(before?.change ?? {}, change) && exists) return same;
  const seriesChange = changeOfDates({ before: said, after: content, parts: [last], keepsEdits: false });
  return { ...same, seriesChange, series: content.series, content };
}

/** The local date that a time has in a series. */
export function localOf(time: ReplacedTime, { schedule }: Pick<Series, 'schedule'>): LocalTime {
  const { first, timezone, allDay } = schedule;
  const clock = first.toPlainTime();
  if ('day' in time) return Temporal.PlainDate.from(time.day).toPlainDateTime(clock);
  return dateAt(new Date(time.at), { timezone, allDay, clock });
}
