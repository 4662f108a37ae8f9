/** Reads a file into entries of an import: what each of them says, under which key later imports know it, and what is doubtful. */
import { mapInTurns } from '#base';
import type { Database } from '#pg';
import { findCity } from '../accounts/accounts.ts';
import { findLastPlace, listKeysOfUid } from '../events/imports.ts';
import { loadCountryNames } from '../places/address/country-names.ts';
import { AddressFinder } from '../places/address/find-address.ts';
import type { Gazetteer } from '../places/gazetteer.ts';
import { type ChosenEntry, chooseDates } from './choose-dates.ts';
import { contentOf, type Doubt, type EntryContent, type EntryDefaults } from './entry-content.ts';
import { EntryError } from './entry-error.ts';
import type { Calendar } from './parse-calendar.ts';
import type { FileEntries } from './parse-entry.ts';
import { type DefaultPlace, type EntryPlace, type PlacedEntries, placeEntries } from './place-entries.ts';
import type { Cause, ImportReport } from './report.ts';

/** `removal`: the entry cancels what an earlier import added, and says nothing else. */
export type ReadEntry = {
  line: number;
  title: string;
  uid: string;
  key: string;
  formerKeys: ChosenEntry['formerKeys'];
  doubts: Doubt[];
  notes: string[];
  /** Of an event, what its place comes from. */
  by: EntryPlace['by'] | null;
} & (
  | { kind: 'event'; content: EntryContent; defaulted: (keyof EntryContent)[]; unplaced: string | null }
  | { kind: 'removal' }
  | { kind: 'refused'; cause: Cause }
);

/** `place`: the default place, and where it comes from. */
export type ReadFile = { entries: ReadEntry[]; place: ImportReport['place'] };

export type ReadOptions = EntryDefaults & {
  organizerId: string;
  /** Where entries without a place are. */
  place: DefaultPlace | null;
  gazetteer: Gazetteer;
  now: Date;
};

/**
 * Finds what the entries of a file are, in many turns of the event loop.
 * @returns the entries in the order of their lines
 */
export async function readEntries(
  db: Database,
  { calendar, parsed }: FileEntries,
  options: ReadOptions,
): Promise<ReadFile> {
  const issues = [...calendar.errors];
  const readable = parsed.flatMap((entry) => {
    if ('period' in entry) return [entry];
    issues.push(entry);
    return [];
  });
  const { chosen, errors } = await chooseDates(readable, calendar, options.now);
  const placed = await findPlaces(db, chosen, options);
  const read = await mapInTurns(chosen, (entry) => readEntry(entry, placed, calendar, options));
  const expanded = calendar.isCancelling ? await expandRemovals(db, read, options.organizerId) : read;
  const refused = [...issues, ...errors].map(({ cause, reason, line, title = '' }) =>
    toRefused({ line, title, uid: '' }, cause, reason),
  );
  const entries = [...expanded, ...refused].sort((a, b) => a.line - b.line);
  return { entries, place: placed.default && { name: placed.default.place.name, from: placed.default.from } };
}

function readEntry(
  entry: ChosenEntry,
  placed: PlacedEntries,
  calendar: Calendar,
  options: ReadOptions,
): ReadEntry {
  const { line, title, uid, key, formerKeys, isRemoval } = entry;
  const common = { line, title, uid, key, formerKeys };
  if (isRemoval || calendar.isCancelling)
    return { ...common, kind: 'removal', by: null, doubts: [], notes: [] };
  const place = placed.placeOf.get(entry);
  if (!place) throw new Error('an entry has no place');
  try {
    return { ...common, kind: 'event', by: place.by, ...contentOf(entry, place, calendar, options) };
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    return { ...toRefused(entry, error.entryCause, error.message), key, formerKeys };
  }
}

const toRefused = (
  { line, title, uid }: Pick<ReadEntry, 'line' | 'title' | 'uid'>,
  cause: Cause,
  reason: string,
): ReadEntry => ({
  ...{ line, title, uid, key: '', formerKeys: [], doubts: [], by: null },
  ...{ kind: 'refused', cause, notes: [reason] },
});

/** A cancellation without a date concerns each event that came from its UID. */
async function expandRemovals(db: Database, entries: ReadEntry[], organizerId: string): Promise<ReadEntry[]> {
  const expanded: ReadEntry[] = [];
  for (const entry of entries) {
    const keys =
      entry.kind === 'removal' && entry.key === entry.uid
        ? await listKeysOfUid(db, organizerId, entry.uid)
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
  if (last) return { ...last, name: gazetteer.nearest(last)?.name ?? `${last.lat}, ${last.lng}` };
  const { place } = finder.find(await findCity(db, organizerId), { zone: null, near: null });
  return place && { lat: place.lat, lng: place.lng, name: place.name };
}
