/** Compares what a file says with what earlier imports made of it: what is new, changed or the same. */
import { isDeepStrictEqual } from 'node:util';
import { inChunks, runInTurn } from '#base';
import type { Queryable } from '#pg';
import { Problem } from '../../lib/errors.ts';
import type { EventFields } from '../events/event-fields.ts';
import { applyChange, withDefaults } from '../events/event-rules.ts';
import {
  type ImportedDate,
  type ImportedEvent,
  listImportedDates,
  listImportedEvents,
} from '../events/imports.ts';
import type { EventRow } from '../events/present.ts';
import type { EnteredEvent, EventChange } from '../events/schemas.ts';
import { listOccurrencesOn } from '../events/series/occurrences.ts';
import type { Series } from '../events/series/repo.ts';
import type { DateChange } from '../series/own-dates.ts';
import { compareSeries, enteredSeries, type KnownSeries } from './compare-series.ts';
import type { SeriesContent } from './describe-series.ts';
import type { Doubt, EntryContent } from './entry-content.ts';
import { differsIn, isOfPlace } from './entry-fields.ts';
import { noDate, type ReadEntry, type ReplacedTime } from './read-entries.ts';
import { changeOfDates, isEmpty, type SaidSeries, type SeriesChange } from './series-change.ts';
import { toEntered } from './to-entered.ts';

export const entryStates = ['new', 'changed', 'same', 'doubtful', 'refused', 'skipped'] as const;
export type EntryState = (typeof entryStates)[number];

/** An entry as it is reviewed. */
export type ComparedEntry = {
  state: EntryState;
  key: string;
  line: number;
  uid: string;
  /** What would be stored; null for an entry that becomes nothing. */
  event: EnteredEvent | null;
  /** Of a changed event: the fields that the file changes. */
  change: EventChange | null;
  /** What the file says, by which the next import finds what it changes. */
  content: EntryContent | null;
  /** Of what the file says; null if some of it is not taken over. */
  hash: string | null;
  /** Whether the event is cancelled because the entry is missing in its source, or restored. */
  isAbsent?: boolean;
  /** Whether the person has changed it in the review. */
  isEdited?: boolean;
  /** The event that an earlier import made of the entry. */
  knownId: string | null;
  /** What would be stored beside the event; null for a single event. */
  series: ReviewedSeries | null;
  doubts: Doubt[];
  duplicates: string[];
  reason: string | null;
};

/**
 * `next`: the local dates that come next. `isKnown`: whether an earlier import made the series; `joins`: whether it made events of some of
 * its dates, which become occurrences. `splits`: the key of the known series, and its date, from which this is the later part. `change`: of the dates of a known series. `onlyDate`: the one date of which the entry says something.
 */
export type ReviewedSeries = SeriesContent & {
  next: string[];
  isKnown: boolean;
  joins: boolean;
  splits: { key: string; from: ReplacedTime } | null;
  change: SeriesChange | null;
  onlyDate: string | null;
};

export type SeriesEntry = ComparedEntry & { series: ReviewedSeries };

type Known = Map<string, ImportedEvent<EntryContent & { series?: SeriesContent }>>;

/**
 * Whose events entries are compared with. `keepsEdits`: fields that were changed here stay, also if the file has a newer value.
 * `byHash`: an entry that says what it said before is the same, also if its place would follow from other events now.
 */
export type Comparison = { organizerId: string; keepsEdits: boolean; byHash?: boolean };

/** Compares entries with the events of earlier imports of a person. */
export async function compareEntries(
  db: Queryable,
  { organizerId, keepsEdits, byHash = false }: Comparison,
  entries: ReadEntry[],
): Promise<ComparedEntry[]> {
  const compared: ComparedEntry[] = [];
  for (const some of inChunks(entries)) {
    const keys = some.flatMap(({ key, formerKeys, ofSeries }) => [
      ...[key, ...formerKeys.map((former) => former.key)],
      ...(ofSeries ? [ofSeries.key] : []),
    ]);
    for (const entry of some)
      if (entry.kind === 'event' && entry.series?.part) keys.push(entry.series.part.of);
    const known: Known = await listImportedEvents(db, organizerId, keys);
    const dates = await listImportedDates(
      db,
      organizerId,
      some.flatMap((entry) =>
        entry.kind === 'event' && entry.series && !known.get(entry.key)?.series ? [entry.key] : [],
      ),
    );
    for (const entry of some) {
      const one = await runInTurn(() => compareEntry(entry, { known, dates, keepsEdits, byHash }));
      compared.push(keepsEdits ? await withoutEditedDates(db, one, known) : one);
    }
  }
  return compared;
}

type Context = { known: Known; dates: Map<string, ImportedDate[]>; keepsEdits: boolean; byHash: boolean };

function compareEntry(entry: ReadEntry, context: Context): ComparedEntry {
  const { known: imported, keepsEdits, byHash } = context;
  const { line, uid, hash, title, notes, doubts } = entry;
  const ofSeries = knownSeries(entry, imported);
  const key = ofSeries?.key ?? knownKey(entry, imported);
  const known = imported.get(key);
  const said = entry.kind === 'event' && entry.unplaced !== null ? [...notes, entry.unplaced] : notes;
  const named = entry.kind === 'refused' && title !== '' ? `"${title}" ` : '';
  const reason = said.length > 0 ? named + said.join('; ') : null;
  const common = {
    ...{ key, line, uid, hash, reason },
    ...{ duplicates: [], doubts: [], content: null, change: null, series: null },
  };
  const nothing = { ...common, event: null, knownId: null };
  if (entry.kind === 'refused') return { ...nothing, state: 'refused' };
  const isSame = byHash && known !== undefined && known.hash !== null && known.hash === hash;
  const last = known?.series?.at(-1);
  if (isSame && last)
    return { ...nothing, content: known.content, event: enteredSeries(last), state: 'same' };
  if (ofSeries) return compareKnownSeries(entry, ofSeries.known, common, keepsEdits);
  if (!known?.event || (entry.kind === 'event' && entry.series)) {
    if (entry.kind === 'removal') return { ...nothing, state: 'same', reason: neverImported };
    const isLeftOut = known?.isLeftOut === true;
    const isKnown = known !== undefined && !isLeftOut;
    const dates = context.dates.get(key) ?? [];
    const added = compareNew(entry, common, { isKnown, dates, imported });
    return isLeftOut && known.hash === hash && added.event
      ? { ...added, state: 'skipped', reason: wasLeftOut }
      : added;
  }
  const knownId = known.event.id;
  if (isSame)
    return {
      ...common,
      ...{ content: known.content, event: toEntered(known.event), knownId, state: 'same' },
    };
  const change = changeOf(entry, toEntered(known.event), {
    ...{ said: known.content, keepsEdits },
    isAddressHidden: known.event.isAddressHidden,
  });
  const content =
    entry.kind === 'event'
      ? entry.content
      : known.content && { ...known.content, status: 'cancelled' as const };
  const changed = tryChange(known.event, change);
  if (changed === null) return { ...nothing, knownId, state: 'refused', reason: notStorable };
  const before = toEntered(known.event);
  const event = toEntered(changed);
  const isEqual = isDeepStrictEqual(before, event);
  return {
    ...common,
    content,
    event,
    knownId,
    doubts,
    ...(isEqual ? { state: 'same' } : { state: 'changed', change }),
  };
}

type Common = Omit<ComparedEntry, 'state' | 'event' | 'knownId'>;

/** An entry of which no earlier import made an event that still exists, or made events of some of its dates. */
function compareNew(
  entry: Extract<ReadEntry, { kind: 'event' }>,
  common: Common,
  { isKnown, dates, imported }: { isKnown: boolean; dates: ImportedDate[]; imported: Known },
): ComparedEntry {
  const { series: read, doubts } = entry;
  const joins = dates.some(({ exists }) => exists);
  const part = read?.part;
  const splits =
    part && (imported.get(part.of)?.series?.length ?? 0) > 0 ? { key: part.of, from: part.from } : null;
  const nothing = { ...common, event: null, knownId: null };
  if (read && entry.content.status === 'cancelled' && !joins && !splits)
    return { ...nothing, state: 'same', reason: neverImported };
  if (read && read.next.length === 0 && !joins && !splits)
    return { ...nothing, state: 'refused', reason: `"${entry.title}" ${noDate}` };
  const content = read ? { ...entry.content, series: read.said } : entry.content;
  const series = read && {
    ...read.said,
    ...{ next: read.next, isKnown: false, joins, splits, change: null, onlyDate: null },
  };
  const event = toEntered(withDefaults(entry.content), entry.content.status);
  const added = { ...common, content, event, series, knownId: null };
  // What was deleted here does not return, unless the person says so.
  if (!joins && !splits && (isKnown || dates.length > 0))
    return { ...added, state: 'skipped', reason: wasDeleted };
  if (joins || splits) return { ...added, doubts, state: 'changed' };
  return { ...added, doubts, state: doubts.length > 0 ? 'doubtful' : 'new' };
}

/** The series that an earlier import made of the entry, or of which it changes a date. */
function knownSeries(entry: ReadEntry, imported: Known): { key: string; known: KnownSeries } | null {
  for (const key of [entry.key, ...(entry.ofSeries ? [entry.ofSeries.key] : [])]) {
    const known = imported.get(key);
    if (known?.series) return { key, known: known as KnownSeries };
  }
  return null;
}

function compareKnownSeries(
  entry: Exclude<ReadEntry, { kind: 'refused' }>,
  known: KnownSeries,
  common: Common,
  keepsEdits: boolean,
): ComparedEntry {
  const nothing = { ...common, event: null, knownId: null };
  if (known.series.length === 0) {
    const next = entry.kind === 'event' ? entry.series?.next : undefined;
    if (entry.kind === 'removal' || !entry.series || !next?.length)
      return { ...nothing, state: entry.kind === 'removal' ? 'same' : 'skipped', reason: wasDeleted };
    return compareNew(entry, common, { isKnown: true, dates: [], imported: new Map() });
  }
  const compared = compareSeries(entry, known, {
    keepsEdits,
    changeOf: (entry, current, said, isAddressHidden) =>
      changeOf(entry, current, { said, keepsEdits, isAddressHidden }),
  });
  if (!compared) return { ...nothing, state: 'same' };
  const { change, seriesChange, event, series, content } = compared;
  const next = entry.kind === 'event' ? (entry.series?.next ?? []) : [];
  return {
    ...{ ...common, content, event, change, knownId: null },
    doubts: entry.doubts,
    series: {
      ...{ ...series, next, isKnown: true, joins: false, splits: null, change: seriesChange },
      onlyDate: entry.ofSeries ? (seriesChange?.dates[0]?.date ?? null) : null,
    },
    state: change || seriesChange ? 'changed' : 'same',
  };
}

/** Leaves out what was changed here for single dates of a series. */
async function withoutEditedDates(
  db: Queryable,
  entry: ComparedEntry,
  imported: Known,
): Promise<ComparedEntry> {
  const dates = entry.series?.change?.dates ?? [];
  const known = imported.get(entry.key);
  const said = known?.content;
  if (dates.length === 0 || !entry.series?.change || !said?.series) return entry;
  const change = await withoutOwnDates(db, entry.series.change, known?.series ?? [], said as SaidSeries);
  const series = { ...entry.series, change };
  return { ...entry, series, state: entry.change || series.change ? 'changed' : 'same' };
}

async function withoutOwnDates(
  db: Queryable,
  change: SeriesChange,
  parts: Series[],
  said: SaidSeries,
): Promise<SeriesChange | null> {
  const rows = await listOccurrencesOn(
    db,
    parts.map(({ id }) => id),
    change.dates.map(({ date }) => date),
  );
  const kept = { ...change, dates: change.dates.flatMap((one) => withoutEdits(one, rows, said)) };
  return isEmpty(kept) ? null : kept;
}

/**
 * Whether a person has changed something here that an entry changes of a series. Final in a transaction that holds the locks of the parts.
 * @param parts in the order of their dates
 */
export async function isSeriesEdited(
  db: Queryable,
  { change, content, isAbsent, series }: ComparedEntry,
  { parts, said }: { parts: Series[]; said: SaidSeries },
): Promise<boolean> {
  const last = parts.at(-1);
  if (!last || !content || !series || (isAbsent && change?.status === 'cancelled')) return false;
  const current = enteredSeries(last);
  const isOther = (name: string) => name !== 'status' && differsIn(name as keyof EntryContent, current, said);
  if (Object.keys(change ?? {}).some(isOther)) return true;
  if (!series.change) return false;
  const compared = { before: said, after: content as SaidSeries, parts };
  const [asSaid, kept] = [false, true].map((keepsEdits) => changeOfDates({ ...compared, keepsEdits }));
  const withoutOwn = kept && (await withoutOwnDates(db, kept, parts, said));
  return !isDeepStrictEqual(asSaid, withoutOwn);
}

/** A field that differs from what the file said before was changed here. */
function withoutEdits(one: DateChange, rows: EventRow[], said: SaidSeries): DateChange[] {
  const row = rows.find(({ seriesDate }) => seriesDate === one.date);
  if (!row) return [one];
  const current = toEntered(row) as Record<string, unknown>;
  const before = said.series.changedDates.find(({ date }) => date === one.date)?.change ?? {};
  const ofFile: Record<string, unknown> = { ...said, ...before };
  const isEdited = (name: string) =>
    row.ownFields.some((own) => own === name || (name === 'location' && own === 'address')) &&
    !isDeepStrictEqual(current[name], ofFile[name]);
  const change = Object.fromEntries(Object.entries(one.change).filter(([name]) => !isEdited(name)));
  const reset = (one.reset ?? []).filter((name) => !isEdited(name === 'address' ? 'location' : name));
  return Object.keys(change).length + reset.length === 0 ? [] : [{ ...one, change, reset }];
}

const wasDeleted = 'was imported before, and the event was deleted here';
const wasLeftOut = 'was left out of an earlier review, and has not changed';
const neverImported = 'cancels an event that was not imported';
const notStorable = 'does not fit the event that an earlier import made of it';

/** The key under which an earlier import knows the entry; otherwise its own. */
function knownKey({ key, formerKeys }: ReadEntry, known: Known): string {
  if (known.has(key)) return key;
  const former = formerKeys.find((one) => {
    const event = known.get(one.key)?.event;
    return event && (one.startAt === null || one.startAt === event.startAt.toISOString());
  });
  return former?.key ?? key;
}

/** `said`: what the file said before; null for an import of an earlier version. */
type Earlier = { said: EntryContent | null; keepsEdits: boolean; isAddressHidden: boolean };

/**
 * The fields that a file changes: those that differ from what it said before. What a person has changed here since stays, unless the file
 * has another value now. Of an import of an earlier version it is not known what the file said: its fields are compared with the event.
 */
function changeOf(
  entry: ReadEntry,
  current: EnteredEvent,
  { said, keepsEdits, isAddressHidden }: Earlier,
): EventChange {
  if (entry.kind !== 'event') return { status: 'cancelled' };
  const { content, defaulted } = entry;
  const compared = said ?? current;
  const isKept = (name: keyof EntryContent) =>
    // What is entered here decides where an event is that hides its address.
    (isAddressHidden && isOfPlace(name)) || (keepsEdits && differsIn(name, current, compared));
  const names = (Object.keys(content) as (keyof EntryContent)[]).filter(
    (name) => !defaulted.includes(name) && differsIn(name, content, compared) && !isKept(name),
  );
  return Object.fromEntries(names.map((name) => [name, content[name]])) as EventChange;
}

/** The fields of an event that differ from what the file said: a person has changed them here. */
export function editedFields(event: EventRow, said: EntryContent): (keyof EntryContent)[] {
  const current = toEntered(event);
  const names = Object.keys(said) as (keyof EntryContent)[];
  return names.filter((name) => differsIn(name, current, said));
}

/** The fields after a change, also if the event changed meanwhile. Null if they are not valid. */
export function tryChange(before: EventRow, change: EventChange): EventFields | null {
  try {
    return applyChange(withDeadlineBefore(before, change), change);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** A calendar knows nothing of the deadline for answers, which ends with the event at the latest. */
function withDeadlineBefore(before: EventRow, { endAt }: EventChange): EventRow {
  const end = endAt === undefined ? before.endAt : new Date(endAt);
  return before.rsvpUntil && before.rsvpUntil > end ? { ...before, rsvpUntil: end } : before;
}
