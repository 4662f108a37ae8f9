/**
 * Chooses which entries of a file become events, with which dates and keys: of a series one date, the next coming one, or
 * if all are over the last. Changed dates of a series are events of their own.
 */
import { createHash } from 'node:crypto';
import { mapInTurns } from '#base';
import { dateKey, instantKey } from './date-keys.ts';
import type { EntryTime } from './entry-times.ts';
import { movePeriod, nextDate, type Series } from './next-date.ts';
import type { Calendar } from './parse-calendar.ts';
import type { CalendarEntry } from './parse-entry.ts';
import type { EntryIssue } from './report.ts';

export type ChosenEntry = CalendarEntry & {
  /** Identifies the event in later imports. */
  key: string;
  /** Keys that earlier imports may have given the event. `startAt`: only if it starts then; null for any start. */
  formerKeys: { key: string; startAt: string | null }[];
  /** Whether the entry only removes what an earlier import added. */
  isRemoval: boolean;
};

/** @param now decides which date of a series is the next one */
export async function chooseDates(
  entries: CalendarEntry[],
  calendar: Calendar,
  now: Date,
): Promise<{ chosen: ChosenEntry[]; errors: EntryIssue[] }> {
  const errors: EntryIssue[] = [];
  const byUid = Map.groupBy(entries, ({ uid, line }) => uid || `\n${line}`);
  const choices = await mapInTurns(byUid.values(), (same) => {
    const latest = withoutReplaced(same, calendar, errors);
    const [changed, others] = [latest.filter(isChange), latest.filter((entry) => !isChange(entry))];
    const isOne = others.length === 1;
    // Of several entries with one UID, it is not known whose dates are changed.
    const changes = isOne ? changed : [];
    const changedDates = new Set(changes.map((entry) => dateKey(replacedTime(entry), calendar)));
    return [
      ...others.map(
        (entry) => () => chooseDate(entry, { calendar, now, changedDates, changes, isOne }, errors),
      ),
      ...changed.map((entry) => () => [asChange(entry, others[0], calendar)]),
    ];
  });
  // A series takes milliseconds, so each is a piece of work of its own.
  const chosen = await mapInTurns(choices.flat(), (choose) => choose());
  return { chosen: chosen.flat(), errors };
}

const isChange = ({ repetition }: CalendarEntry): boolean => repetition.replaces !== null;
const replacedTime = ({ repetition, period }: CalendarEntry): EntryTime =>
  repetition.replaces?.time ?? period.start;

/**
 * Of entries with one UID and one date, keeps the highest SEQUENCE, or the last one if these are equal. Entries with other
 * dates and the same SEQUENCE are events of their own: some programs give all talks of a day one UID.
 */
function withoutReplaced(same: CalendarEntry[], calendar: Calendar, errors: EntryIssue[]): CalendarEntry[] {
  const highest = Math.max(...same.filter((entry) => !isChange(entry)).map(({ sequence }) => sequence));
  const kept = new Map<string, CalendarEntry>();
  const replace = (older: CalendarEntry, { line }: CalendarEntry) =>
    errors.push({
      line: older.line,
      title: older.title,
      cause: 'replaced',
      reason: `has the same UID as line ${line}, which replaces it`,
    });
  const latest = same.filter((entry) => !isChange(entry) && entry.sequence === highest).at(-1);
  for (const entry of same) {
    if (!isChange(entry) && entry.sequence < highest && latest) {
      replace(entry, latest);
      continue;
    }
    const key = `${isChange(entry)} ${dateKey(replacedTime(entry), calendar)}`;
    const other = kept.get(key);
    const [newer, older] = other && other.sequence > entry.sequence ? [other, entry] : [entry, other];
    kept.set(key, newer);
    if (older) replace(older, newer);
  }
  return [...kept.values()];
}

function chooseDate(entry: CalendarEntry, context: Series, errors: EntryIssue[]): ChosenEntry[] {
  const { calendar, isOne } = context;
  const { period, repetition, uid } = entry;
  const first = dateKey(period.start, calendar);
  const base = uid === '' ? contentKey(entry, calendar) : uid;
  if (!repetition.isSeries) {
    const key = isOne || uid === '' ? base : `${base}\n@${first}`;
    return [
      withKey(entry, key, key === base ? [] : [{ key: base, startAt: instantKey(period.start, calendar) }]),
    ];
  }
  const start = nextDate(entry, context);
  if (start === 'changed') return [];
  if (start === null) {
    errors.push({
      line: entry.line,
      title: entry.title,
      cause: 'date',
      reason: 'repeats, and each of its dates is removed',
    });
    return [];
  }
  const moved = movePeriod(period, start, calendar);
  const isFirst = start.local.equals(period.start.local);
  const date = isFirst ? 'its first date was' : 'one date of it was';
  const notes = [...entry.notes, `repeats; ${date} imported`];
  return [
    withKey({ ...entry, period: moved, notes }, isFirst ? base : `${base}\n@${dateKey(start, calendar)}`, []),
  ];
}

/** A changed date has the key of the date that it replaces. A cancelled one only removes an event. */
function asChange(entry: CalendarEntry, series: CalendarEntry | undefined, calendar: Calendar): ChosenEntry {
  const time = replacedTime(entry);
  const isFirst =
    series?.repetition.isSeries === true &&
    dateKey(series.period.start, calendar) === dateKey(time, calendar);
  const key = isFirst ? entry.uid : `${entry.uid}\n@${dateKey(time, calendar)}`;
  const former = [
    { key: `${entry.uid}\n${entry.repetition.replaces?.raw ?? ''}`, startAt: null },
    // The series may be in another file, or in none.
    ...(isFirst ? [] : [{ key: entry.uid, startAt: instantKey(time, calendar) }]),
  ];
  return { ...withKey(entry, key, former), isRemoval: entry.status === 'cancelled' };
}

const contentKey = ({ title, period, address }: CalendarEntry, calendar: Calendar): string => {
  return `\n${[title, instantKey(period.start, calendar), address].join('\n')}`;
};

const withKey = (entry: CalendarEntry, key: string, formerKeys: ChosenEntry['formerKeys']): ChosenEntry => ({
  ...entry,
  key: storable(key, entry.uid !== ''),
  formerKeys: formerKeys.map((former) => ({ ...former, key: storable(former.key, true) })),
  isRemoval: false,
});

/** PostgreSQL limits an index entry to 2,704 bytes. */
const storable = (key: string, isUid: boolean): string =>
  key.length <= 500 && isUid ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;
