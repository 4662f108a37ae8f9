/** The dates of a series that differ from the others: entries that replace one, and periods of their own length. */
import { mapInTurns, runInTurn } from '#base';
import type { EventChange } from '../events/schemas.ts';
import {
  compare,
  datesIn,
  formatDate,
  type LocalTime,
  type Schedule,
  timesOf,
} from '../events/series/schedule.ts';
import { maxDates } from '../series/schemas.ts';
import type { ChosenEntry } from './choose-dates.ts';
import { dateChange } from './date-change.ts';
import type { EntryContent } from './entry-content.ts';
import { type EntryPeriod, toEventTimes } from './entry-times.ts';
import type { Calendar } from './parse-calendar.ts';
import type { Part } from './part-of-series.ts';
import { uniqueDates } from './said-dates.ts';
import { localDateOf } from './series-dates.ts';

/** A date that differs from the others, and how. */
export type ChangedDate = { date: string; change: EventChange };
/** What one entry says. `content`: null for a date that is cancelled and says nothing else. */
export type SaidEntry = {
  entry: ChosenEntry;
  content: EntryContent | null;
  defaulted: (keyof EntryContent)[];
};

export type Changed = { schedule: Schedule; changedDates: ChangedDate[] };

/** Dates that entries replace, and periods of their own length. What replaces no date of the rule is a further date. */
export async function addChanges(
  { schedule, frame, move }: Part,
  {
    entry,
    content,
    changes,
    calendar,
  }: { entry: ChosenEntry; content: EntryContent; changes: SaidEntry[]; calendar: Calendar },
): Promise<Changed> {
  const { allDay } = schedule;
  const found = await mapInTurns(changes, (said) => {
    const time = said.entry.repetition.replaces?.time;
    return time ? [{ said, date: move(localDateOf(time, frame, calendar)) }] : [];
  });
  const replaced = found.flat();
  const existing = await runInTurn(() =>
    datesAmong(
      schedule,
      replaced.map(({ date }) => date),
    ),
  );
  const [extra, excluded] = [[...schedule.extra], new Set(schedule.excluded)];
  const changed = new Map<string, EventChange>();
  await mapInTurns(replaced, ({ said, date }) => {
    const text = formatDate(date, allDay);
    const { content: own, defaulted } = said;
    const isCancelled = own === null || own.status === 'cancelled';
    if (isCancelled && (!existing.has(text) || excluded.has(text))) return;
    if (!existing.has(text)) extra.push(date);
    // An entry of its own says more than an excluded date.
    excluded.delete(text);
    changed.set(
      text,
      own
        ? dateChange({ content: own, defaulted }, content, timesOf(schedule, date))
        : { status: 'cancelled' },
    );
  });
  await mapInTurns(entry.repetition.added, (added) => {
    const date = move(localDateOf(added.start, frame, calendar));
    const endAt = added.end || added.duration ? endOf(added, frame.timezone, calendar) : null;
    if (endAt && endAt.getTime() !== timesOf(schedule, date).endAt.getTime())
      changed.getOrInsert(formatDate(date, allDay), { endAt: endAt.toISOString() });
  });
  return {
    schedule: { ...schedule, extra: uniqueDates(extra).slice(-maxDates), excluded },
    changedDates: [...changed]
      .filter(([, change]) => Object.keys(change).length > 0)
      .map(([date, change]) => ({ date, change }))
      .sort((a, b) => (a.date < b.date ? -1 : 1)),
  };
}

function endOf(period: EntryPeriod, timezone: string, calendar: Calendar): Date | null {
  try {
    return toEventTimes(period, timezone, calendar).endAt;
  } catch {
    // A period of which nothing but the start can be read.
    return null;
  }
}

const maxCompared = 10_000;

/** Which of some dates the schedule has, also if it excludes them. */
function datesAmong(schedule: Schedule, dates: LocalTime[]): Set<string> {
  const sorted = dates.toSorted(compare);
  const [from, last] = [sorted[0], sorted.at(-1)];
  if (!from || !last) return new Set();
  const all = datesIn(
    { ...schedule, excluded: new Set(), deleted: new Set() },
    { from, before: last.add({ minutes: 1 }), limit: maxCompared },
  );
  return new Set(all.map((date) => formatDate(date, schedule.allDay)));
}
