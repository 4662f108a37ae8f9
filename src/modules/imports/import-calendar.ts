/** Imports a calendar for an organizer. A repeated import applies only the changes. */
import { inChunks, mapInTurns } from '#base';
import { type Database, sql } from '#pg';
import { findCity } from '../accounts/accounts.ts';
import { findLastPlace, type ImportedEvent, listImportedEvents, listKeysOfUid } from '../events/imports.ts';
import { loadCountryNames } from '../places/address/country-names.ts';
import { AddressFinder } from '../places/address/find-address.ts';
import type { Gazetteer } from '../places/gazetteer.ts';
import { type ChosenEntry, chooseDates } from './choose-dates.ts';
import { EntryError } from './entry-error.ts';
import { importEntry, type PlacedEntry } from './import-entry.ts';
import type { Calendar } from './parse-calendar.ts';
import { parseEntry } from './parse-entry.ts';
import { type DefaultPlace, type PlacedEntries, placeEntries } from './place-entries.ts';
import { emptyReport, type ImportReport } from './report.ts';

export type ImportOptions = {
  organizerId: string;
  /** The category of entries without a known one; undefined for that of the event, or `other`. */
  category?: string | undefined;
  /** Where entries without a known place are. */
  place?: DefaultPlace | null | undefined;
  gazetteer: Gazetteer;
  /** Decides which date of a series is the next one. */
  now?: Date | undefined;
  /** Called when it is known how many entries there are, and after each of them. */
  onProgress?: ((done: number, total: number) => void) | undefined;
};

/**
 * Imports each entry in its own transaction, so a repeated import completes an interrupted one.
 * @throws OrganizerError if the organizer has no active account
 */
export async function importCalendar(
  db: Database,
  calendar: Calendar,
  options: ImportOptions,
): Promise<ImportReport> {
  const report = { ...emptyReport(), errors: [...calendar.errors] };
  const parsed = await mapInTurns(calendar.blocks, (block) => parseEntry(block, calendar));
  const entries = parsed.flatMap((entry) => {
    if ('period' in entry) return [entry];
    report.errors.push(entry);
    return [];
  });
  const { chosen, errors } = await chooseDates(entries, calendar, options.now ?? new Date());
  report.errors.push(...errors);
  const placed = await findPlaces(db, chosen, options);
  if (placed.default) report.place = { name: placed.default.place.name, from: placed.default.from };
  let done = 0;
  options.onProgress?.(done, chosen.length);
  // The events of some entries are read with one query.
  for (const some of inChunks(chosen)) {
    await importBatch(db, some, { ...options, calendar, placed }, report, () =>
      options.onProgress?.(++done, chosen.length),
    );
  }
  // Autovacuum would update the planner statistics only after a minute or so.
  await db.query(sql`analyze events`);
  for (const list of [report.errors, report.warnings, report.drafts]) list.sort((a, b) => a.line - b.line);
  return report;
}

async function findPlaces(
  db: Database,
  entries: ChosenEntry[],
  { organizerId, gazetteer, place = null }: ImportOptions,
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

type Context = ImportOptions & { calendar: Calendar; placed: PlacedEntries };

async function importBatch(
  db: Database,
  entries: ChosenEntry[],
  context: Context,
  report: ImportReport,
  onEntryDone: () => void,
): Promise<void> {
  const { organizerId, placed, calendar } = context;
  const keys = entries.flatMap(({ key, formerKeys }) => [key, ...formerKeys.map((former) => former.key)]);
  const known = await listImportedEvents(db, organizerId, keys);
  for (const entry of entries) {
    const place = placed.placeOf.get(entry);
    if (!place) throw new Error('an entry has no place');
    const named = calendar.isCancelling && !entry.repetition.replaces && entry.uid !== '';
    const ofUid = named ? await listKeysOfUid(db, organizerId, entry.uid) : [];
    const all = ofUid.length > 0 ? await listImportedEvents(db, organizerId, ofUid) : known;
    for (const key of ofUid.length > 0 ? ofUid : [knownKey(entry, known)])
      await importOne(db, { entry, place, key }, all.get(key) ?? null, context, report);
    onEntryDone();
  }
}

/** The key under which an earlier import knows the entry; otherwise its own. */
function knownKey({ key, formerKeys }: ChosenEntry, known: Map<string, ImportedEvent>): string {
  if (known.has(key)) return key;
  const former = formerKeys.find((one) => {
    const event = known.get(one.key)?.event;
    return event && (one.startAt === null || one.startAt === event.startAt.toISOString());
  });
  return former?.key ?? key;
}

async function importOne(
  db: Database,
  placed: PlacedEntry,
  known: ImportedEvent | null,
  context: Context,
  report: ImportReport,
): Promise<void> {
  const { line, title, notes } = placed.entry;
  try {
    const { result, by, mended } = await importEntry(db, placed, known, {
      organizerId: context.organizerId,
      calendar: context.calendar,
      category: context.category,
    });
    report[result]++;
    if (result === 'unchanged') return;
    if (by === 'name') report.placedByName++;
    if (by === 'default') report.placedByDefault++;
    if (by === 'none') report.drafts.push({ line, title, cause: 'place', reason: placed.place.reason });
    report.warnings.push(...[...notes, ...mended].map((reason) => ({ line, title, reason })));
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    report.errors.push({ line, title, cause: error.entryCause, reason: error.message });
  }
}
