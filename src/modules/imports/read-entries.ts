/** Reads a file into entries of an import: what each of them says, under which key later imports know it, and what is doubtful. */
import { mapInTurns, runInTurn } from '#base';
import type { Database } from '#pg';
import { findCity } from '../accounts/accounts.ts';
import { findLastPlace, listKeysOfUid } from '../events/imports.ts';
import { loadCountryNames } from '../places/address/country-names.ts';
import { AddressFinder } from '../places/address/find-address.ts';
import type { Gazetteer } from '../places/gazetteer.ts';
import { CalendarError } from './calendar-error.ts';
import type { SaidEntry } from './changed-dates.ts';
import { type ChosenEntry, type ChosenSeries, chooseDate, chooseDates } from './choose-dates.ts';
import { dateKey } from './date-keys.ts';
import { describeSeries, type SeriesContent } from './describe-series.ts';
import { contentOf, type Doubt, type EntryContent, type EntryDefaults } from './entry-content.ts';
import { EntryError } from './entry-error.ts';
import { placeNames } from './entry-fields.ts';
import { hashOfEntry } from './entry-hash.ts';
import type { EntryTime } from './entry-times.ts';
import type { Calendar } from './parse-calendar.ts';
import type { FileEntries } from './parse-entry.ts';
import {
  type DefaultPlace,
  type EntryPlace,
  namedPlace,
  type PlacedEntries,
  placeEntries,
} from './place-entries.ts';
import type { Cause, ImportReport } from './report.ts';
import { nextPeriods } from './series-dates.ts';

/** `removal`: the entry cancels what an earlier import added, and says nothing else. */
export type ReadEntry = {
  line: number;
  title: string;
  uid: string;
  key: string;
  formerKeys: ChosenEntry['formerKeys'];
  /** Of what the entry says; null for one that says nothing. */
  hash: string | null;
  doubts: Doubt[];
  notes: string[];
  /** Of an event, what its place comes from. */
  by: EntryPlace['by'] | null;
  /** Of the changed date of a series that is not in the file. */
  ofSeries: { key: string; time: ReplacedTime } | null;
} & (
  | {
      kind: 'event';
      content: EntryContent;
      defaulted: (keyof EntryContent)[];
      unplaced: string | null;
      /** Null for a single event. */
      series: ReadSeries | null;
    }
  | { kind: 'removal' }
  | { kind: 'refused'; cause: Cause }
);

/**
 * `next`: the local dates that come next; none if all are over. `part`: of a part that RANGE=THISANDFUTURE begins, the key of the series
 * and the date from which it is a part.
 */
export type ReadSeries = {
  said: SeriesContent;
  next: string[];
  part: { of: string; from: ReplacedTime } | null;
};
/** A RECURRENCE-ID: the time of a date, or its day. */
export type ReplacedTime = { at: string } | { day: string };

/** `place`: the default place, and where it comes from. */
export type ReadEntries = { entries: ReadEntry[]; place: ImportReport['place'] };

export type ReadOptions = EntryDefaults & {
  organizerId: string;
  /** What the keys of its entries begin with: each source has keys of its own. Nothing for what people upload. */
  keyPrefix?: string;
  /** Where entries without a place are. */
  place: DefaultPlace | null;
  gazetteer: Gazetteer;
  now: Date;
};

/** Events and dates of series that one import makes, at most. */
const maxDates = 10_000;

/** What all entries of a file are read with. `made`: how many dates the entries so far would make. */
type Reading = { calendar: Calendar; options: ReadOptions; placed: PlacedEntries; made: number };

const withPrefix = (key: string, { keyPrefix = '' }: ReadOptions): string => keyPrefix + key;

/**
 * Finds what the entries of a file are, in many turns of the event loop.
 * @returns the entries in the order of their lines
 * @throws CalendarError above a bound
 */
export async function readEntries(
  db: Database,
  { calendar, parsed }: FileEntries,
  options: ReadOptions,
): Promise<ReadEntries> {
  const issues = [...calendar.errors];
  const readable = parsed.flatMap((entry) => {
    if ('period' in entry) return [entry];
    issues.push(entry);
    return [];
  });
  const { chosen, errors } = await chooseDates(readable, calendar);
  const all = chosen.flatMap((entry) => [entry, ...(entry.series?.changes ?? [])]);
  const placed = await findPlaces(db, all, options);
  const reading = { calendar, options, placed, made: 0 };
  const read: ReadEntry[] = [];
  for (const entry of chosen) {
    if (isSeries(entry) && !calendar.isCancelling) read.push(...(await readSeries(entry, reading)));
    else read.push(await runInTurn(() => readEntry(entry, reading)));
  }
  const expanded = calendar.isCancelling ? await expandRemovals(db, read, options) : read;
  const refused = [...issues, ...errors].map(({ cause, reason, line, title = '' }) =>
    toRefused({ line, title, uid: '' }, cause, reason),
  );
  const entries = [...expanded, ...refused].sort((a, b) => orderOf(a) - orderOf(b));
  return { entries, place: placed.default && { name: placed.default.place.name, from: placed.default.from } };
}

/** A later part of a series takes its dates from the earlier one before that loses them. */
const orderOf = (entry: ReadEntry): number =>
  entry.kind === 'event' && entry.series?.part ? -entry.line : entry.line;

const isSeries = (entry: ChosenEntry): entry is ChosenEntry & { series: ChosenSeries } =>
  entry.series !== null;

function readEntry(entry: ChosenEntry, { calendar, options, placed }: Reading): ReadEntry {
  const { line, title, uid, isRemoval } = entry;
  const key = withPrefix(entry.key, options);
  const formerKeys = entry.formerKeys.map((former) => ({ ...former, key: withPrefix(former.key, options) }));
  const ofSeries = replacedDate(entry, calendar);
  const common = {
    ...{ line, title, uid, key, formerKeys, hash: hashOfEntry(entry) },
    ofSeries: ofSeries && { ...ofSeries, key: withPrefix(ofSeries.key, options) },
  };
  if (isRemoval || calendar.isCancelling)
    return { ...common, kind: 'removal', by: null, doubts: [], notes: [] };
  const place = placed.placeOf.get(entry);
  if (!place) throw new Error('an entry has no place');
  try {
    const read = contentOf(entry, place, calendar, options);
    const defaulted = [...read.defaulted, ...leftOut(entry)];
    return { ...common, kind: 'event', by: place.by, series: null, ...read, defaulted };
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    return { ...toRefused(entry, error.entryCause, error.message), key, formerKeys };
  }
}

/** A changed date without a place is where the others are. */
function leftOut({ repetition, geo, address, timezone }: ChosenEntry): (keyof EntryContent)[] {
  if (!repetition.replaces) return [];
  return [
    ...(geo || address !== '' ? [] : placeNames),
    ...(timezone === null ? (['timezone'] as const) : []),
  ];
}

function replacedDate({ ofSeries, repetition }: ChosenEntry, calendar: Calendar): ReadEntry['ofSeries'] {
  const time = repetition.replaces?.time;
  if (ofSeries === null || !time) return null;
  return { key: ofSeries, time: replacedTime(time, calendar) };
}

/** A series is one entry. What no series can be comes in as single events, of which the report says why. */
async function readSeries(
  entry: ChosenEntry & { series: ChosenSeries },
  reading: Reading,
): Promise<ReadEntry[]> {
  const { calendar, options } = reading;
  const master = await runInTurn(() => readEntry(entry, reading));
  if (master.kind !== 'event') return [master];
  const changes = await mapInTurns(entry.series.changes, (change) => readChange(change, reading));
  const described = await describeSeries(entry, master.content, changes, { calendar, now: options.now });
  if (described.kind === 'empty') return [toEmpty(entry, noDate, options)];
  if (described.kind === 'singles')
    return await readSingles(entry, master.content.timezone ?? 'UTC', described.reason, reading);
  count(reading, described.planned);
  const { content, series, next } = described;
  return [{ ...master, content, series: { said: series, next, part: partOf(entry.series, reading) } }];
}

function partOf({ partOf, from }: ChosenSeries, { calendar, options }: Reading): ReadSeries['part'] {
  if (partOf === null || from === null) return null;
  return { of: withPrefix(partOf, options), from: replacedTime(from, calendar) };
}

const replacedTime = (time: EntryTime, calendar: Calendar): ReplacedTime => {
  const key = dateKey(time, calendar);
  return time.isDate ? { day: key } : { at: key };
};

export const noDate = 'repeats, and none of its dates is coming';

function readChange(entry: ChosenEntry, reading: Reading): SaidEntry {
  const read = readEntry(entry, reading);
  return read.kind === 'event'
    ? { entry, content: read.content, defaulted: read.defaulted }
    : { entry, content: null, defaulted: [] };
}

/** The next dates of a series as events of their own, and those that other entries change. */
async function readSingles(
  entry: ChosenEntry & { series: ChosenSeries },
  timezone: string,
  reason: string,
  reading: Reading,
): Promise<ReadEntry[]> {
  const { calendar, options, placed } = reading;
  const periods = await nextPeriods(entry, { calendar, timezone, now: options.now });
  const note = `repeats by a rule that no series here can have (${reason}); its next ${periods.length} dates are single events`;
  const place = placed.placeOf.get(entry);
  const dates = periods.map((period) => {
    const date = chooseDate({ ...entry, period, notes: [...entry.notes, note] }, period.start, calendar);
    if (place) placed.placeOf.set(date, place);
    return date;
  });
  const changes = entry.series.changes.filter(({ isRemoval }) => !isRemoval);
  count(reading, dates.length + changes.length);
  if (dates.length + changes.length === 0) return [toEmpty(entry, `${noDate} (${reason})`, options)];
  return await mapInTurns([...dates, ...entry.series.changes], (date) => readEntry(date, reading));
}

/** A series of which no date is coming. Its key says that the file still has it. */
const toEmpty = (entry: ChosenEntry, reason: string, options: ReadOptions): ReadEntry => ({
  ...toRefused(entry, 'date', reason),
  key: withPrefix(entry.key, options),
});

/** @throws CalendarError */
function count(reading: Reading, dates: number): void {
  reading.made += dates;
  if (reading.made > maxDates)
    throw new CalendarError(
      'payload_too_large',
      `has series with more than ${maxDates} dates that would be made`,
    );
}

const toRefused = (
  { line, title, uid }: Pick<ReadEntry, 'line' | 'title' | 'uid'>,
  cause: Cause,
  reason: string,
): ReadEntry => ({
  ...{ line, title, uid, key: '', formerKeys: [], hash: null, doubts: [], by: null, ofSeries: null },
  ...{ kind: 'refused', cause, notes: [reason] },
});

/** A cancellation without a date concerns each event that came from its UID. */
async function expandRemovals(
  db: Database,
  entries: ReadEntry[],
  options: ReadOptions,
): Promise<ReadEntry[]> {
  const expanded: ReadEntry[] = [];
  for (const entry of entries) {
    const keys =
      entry.kind === 'removal' && entry.key === withPrefix(entry.uid, options)
        ? await listKeysOfUid(db, options.organizerId, entry.key)
        : [];
    expanded.push(...(keys.length > 0 ? keys.map((key) => ({ ...entry, key })) : [entry]));
  }
  return expanded;
}

async function findPlaces(
  db: Database,
  entries: ChosenEntry[],
  { organizerId, gazetteer, place }: ReadOptions,
): Promise<PlacedEntries> {
  const finder = new AddressFinder(gazetteer, await loadCountryNames());
  const own = place ? null : await findOwnPlace(db, organizerId, gazetteer, finder);
  return placeEntries(entries, { finder, gazetteer, given: place, own });
}

/** Where the organizer's newest event is, or the town of the organizer's profile. */
async function findOwnPlace(
  db: Database,
  organizerId: string,
  gazetteer: Gazetteer,
  finder: AddressFinder,
): Promise<DefaultPlace | null> {
  const last = await findLastPlace(db, organizerId);
  if (last) return namedPlace(last, gazetteer);
  const { place } = finder.find(await findCity(db, organizerId), { zone: null, near: null });
  return place && { lat: place.lat, lng: place.lng, name: place.name };
}
