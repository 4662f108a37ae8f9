/**
 * Chooses which entries of a file become events and series, and under which keys. The entries that replace dates of a series belong to
 * it; without their series they are events of their own.
 */
import { createHash } from 'node:crypto';
import { mapInTurns } from '#base';
import { dateKey, instantKey, keyZone } from './date-keys.ts';
import { type EntryTime, toInstant } from './entry-times.ts';
import type { Calendar } from './parse-calendar.ts';
import type { CalendarEntry } from './parse-entry.ts';
import type { EntryIssue } from './report.ts';

export type ChosenEntry = CalendarEntry & {
  /** Identifies the event or the series in later imports. */
  key: string;
  /** Keys that earlier imports may have given the event. `startAt`: only if it starts then; null for any start. */
  formerKeys: { key: string; startAt: string | null }[];
  /** Whether the entry only removes what an earlier import added. */
  isRemoval: boolean;
  /** Null for an entry that does not repeat. */
  series: ChosenSeries | null;
  /** Of the changed date of a series that is not in the file: the key of the series. */
  ofSeries: string | null;
};

/**
 * `changes`: the entries that replace dates of it. A part of a series that begins with RANGE=THISANDFUTURE has the dates of `origin`
 * from a time on; a part before it has those until then.
 */
export type ChosenSeries = {
  /** Of a part that RANGE=THISANDFUTURE begins: the key of the first part. */
  partOf: string | null;
  changes: ChosenEntry[];
  origin: CalendarEntry;
  from: EntryTime | null;
  until: EntryTime | null;
};

export async function chooseDates(
  entries: CalendarEntry[],
  calendar: Calendar,
): Promise<{ chosen: ChosenEntry[]; errors: EntryIssue[] }> {
  const errors: EntryIssue[] = [];
  const byUid = Map.groupBy(entries, ({ uid, line }) => uid || `\n${line}`);
  const chosen = await mapInTurns(byUid.values(), (same) => {
    const latest = withoutReplaced(same, calendar, errors);
    const [changed, others] = [latest.filter(isChange), latest.filter((entry) => !isChange(entry))];
    const [first, ...more] = others;
    if (first?.repetition.isSeries && more.length === 0) return chooseSeries(first, changed, calendar);
    // Of several entries with one UID, it is not known whose dates are changed.
    return [
      ...others.map((entry) => chooseEntry(entry, others.length === 1, calendar)),
      ...changed.map((entry) => chooseChange(entry, calendar)),
    ];
  });
  return { chosen: chosen.flat(), errors };
}

const isChange = ({ repetition }: CalendarEntry): boolean => repetition.replaces !== null;
const replacedTime = ({ repetition, period }: CalendarEntry): EntryTime =>
  repetition.replaces?.time ?? period.start;

/**
 * Of entries with one UID and one date, keeps the highest SEQUENCE, of equal ones the latest LAST-MODIFIED, and of these the last.
 * Entries with other dates and the same SEQUENCE are events of their own: some programs give all talks of a day one UID.
 */
function withoutReplaced(same: CalendarEntry[], calendar: Calendar, errors: EntryIssue[]): CalendarEntry[] {
  const masters = same.filter((entry) => !isChange(entry));
  const highest = Math.max(...masters.map(({ sequence }) => sequence));
  const kept = new Map<string, CalendarEntry>();
  const replace = (older: CalendarEntry, { line }: CalendarEntry) =>
    errors.push({
      line: older.line,
      title: older.title,
      cause: 'replaced',
      reason: `has the same UID as line ${line}, which replaces it`,
    });
  const latest = masters.filter(({ sequence }) => sequence === highest).at(-1);
  for (const entry of same) {
    if (!isChange(entry) && entry.sequence < highest && latest) {
      replace(entry, latest);
      continue;
    }
    const key = `${isChange(entry)} ${dateKey(replacedTime(entry), calendar)}`;
    const other = kept.get(key);
    const [newer, older] = other && isNewer(other, entry) ? [other, entry] : [entry, other];
    kept.set(key, newer);
    if (older) replace(older, newer);
  }
  return [...kept.values()];
}

const isNewer = (one: CalendarEntry, other: CalendarEntry): boolean =>
  one.sequence === other.sequence ? one.modified > other.modified : one.sequence > other.sequence;

const baseKey = (entry: CalendarEntry, calendar: Calendar): string =>
  entry.uid === '' ? contentKey(entry, calendar) : entry.uid;

function chooseEntry(entry: CalendarEntry, isOne: boolean, calendar: Calendar): ChosenEntry {
  const base = baseKey(entry, calendar);
  const key = isOne || entry.uid === '' ? base : `${base}\n@${dateKey(entry.period.start, calendar)}`;
  const former = key === base ? [] : [{ key: base, startAt: instantKey(entry.period.start, calendar) }];
  const series = { partOf: null, changes: [], origin: entry, from: null, until: null };
  return { ...withKey(entry, key, former), series: entry.repetition.isSeries ? series : null };
}

/** A series, and the parts of it that RANGE=THISANDFUTURE begins. */
function chooseSeries(master: CalendarEntry, changed: CalendarEntry[], calendar: Calendar): ChosenEntry[] {
  const at = (time: EntryTime) => toInstant(time, keyZone(calendar), calendar);
  const isFollowing = ({ repetition }: CalendarEntry) => repetition.replaces?.isFollowing === true;
  const begins = changed.filter(isFollowing).sort((a, b) => at(replacedTime(a)) - at(replacedTime(b)));
  const base = baseKey(master, calendar);
  const parts = [master, ...begins].map((entry, i) => {
    const [from, next] = [i === 0 ? null : replacedTime(entry), begins[i]];
    const until = next ? replacedTime(next) : null;
    const isIn = (time: EntryTime) => (!from || at(time) >= at(from)) && (!until || at(time) < at(until));
    const changes = changed
      .filter((change) => !isFollowing(change) && isIn(replacedTime(change)))
      .map((change) => ({ ...chooseChange(change, calendar), ofSeries: null }));
    const { rule, added, removed } = master.repetition;
    const repetition = { ...entry.repetition, isSeries: true, rule, added, removed };
    const partOf = from === null || isFirst(from) ? null : base;
    const key = partOf === null || from === null ? base : `${base}\n@${dateKey(from, calendar)}`;
    return {
      ...withKey({ ...entry, repetition }, key, []),
      series: { partOf: partOf && storable(partOf, master.uid !== ''), changes, origin: master, from, until },
    };
  });
  function isFirst(time: EntryTime): boolean {
    return dateKey(time, calendar) === dateKey(master.period.start, calendar);
  }
  // A part that is cancelled is none: the one before it ends.
  return parts.filter(
    ({ status, series: { from, until } }) => !(until && isFirst(until)) && !(from && status === 'cancelled'),
  );
}

/** A changed date has the key of the date that it replaces. A cancelled one only removes an event. */
function chooseChange(entry: CalendarEntry, calendar: Calendar): ChosenEntry {
  const time = replacedTime(entry);
  const former = [
    { key: `${entry.uid}\n${entry.repetition.replaces?.raw ?? ''}`, startAt: null },
    // The series may have been imported as one event.
    { key: entry.uid, startAt: instantKey(time, calendar) },
  ];
  return {
    ...withKey(entry, `${entry.uid}\n@${dateKey(time, calendar)}`, former),
    isRemoval: entry.status === 'cancelled',
    ofSeries: storable(entry.uid, true),
  };
}

/** An entry for one date of a series that comes in as single events. */
export function chooseDate(entry: ChosenEntry, time: EntryTime, calendar: Calendar): ChosenEntry {
  const base = baseKey(entry.series?.origin ?? entry, calendar);
  const former = [{ key: base, startAt: instantKey(time, calendar) }];
  return withKey(entry, `${base}\n@${dateKey(time, calendar)}`, former);
}

const contentKey = ({ title, period, address }: CalendarEntry, calendar: Calendar): string => {
  return `\n${[title, instantKey(period.start, calendar), address].join('\n')}`;
};

const withKey = (entry: CalendarEntry, key: string, formerKeys: ChosenEntry['formerKeys']): ChosenEntry => ({
  ...entry,
  key: storable(key, entry.uid !== ''),
  formerKeys: formerKeys.map((former) => ({ ...former, key: storable(former.key, true) })),
  ...{ isRemoval: false, series: null, ofSeries: null },
});

/** PostgreSQL limits an index entry to 2,704 bytes. */
const storable = (key: string, isUid: boolean): string =>
  key.length <= 500 && isUid ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;
