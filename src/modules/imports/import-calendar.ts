/** Imports a calendar for an organizer without a review. A repeated import applies only the changes. */
import { type Database, sql, transaction } from '#pg';
import { lockAccount } from '../accounts/accounts.ts';
import type { Gazetteer } from '../places/gazetteer.ts';
import { type ComparedEntry, compareEntries } from './compare-entries.ts';
import { EntryError } from './entry-error.ts';
import type { FileEntries } from './parse-entry.ts';
import type { DefaultPlace } from './place-entries.ts';
import type { Published } from './publish-context.ts';
import { publishEntry } from './publish-entry.ts';
import { type ReadEntry, readEntries } from './read-entries.ts';
import { emptyReport, type ImportReport } from './report.ts';

export type ImportOptions = {
  organizerId: string;
  /** The address of the server. */
  publicUrl: string;
  /** The category of new events whose entries have no known one. */
  category?: string | undefined;
  /** Where entries without a known place are. */
  place?: DefaultPlace | null | undefined;
  gazetteer: Gazetteer;
  /** Decides which dates of a series are coming. */
  now?: Date | undefined;
  /** Called when it is known how many entries there are, and after each of them. */
  onProgress?: ((done: number, total: number) => void) | undefined;
};

/** The account of the organizer is suspended or deleted. */
export class OrganizerError extends Error {}

/**
 * Imports each entry in its own transaction, so a repeated import completes an interrupted one.
 * @throws OrganizerError if the organizer has no active account
 */
export async function importCalendar(
  db: Database,
  file: FileEntries,
  options: ImportOptions,
): Promise<ImportReport> {
  const { organizerId, category = 'other', place = null, gazetteer, now = new Date() } = options;
  const defaults = { category, visibility: 'public' as const };
  const read = await readEntries(db, file, { organizerId, place, gazetteer, now, ...defaults });
  const compared = await compareEntries(db, { organizerId, keepsEdits: true }, read.entries);
  const report: ImportReport = { ...emptyReport(), place: read.place };
  options.onProgress?.(0, compared.length);
  for (const [i, entry] of compared.entries()) {
    const said = read.entries[i];
    if (said) await importOne(db, entry, said, options, report);
    options.onProgress?.(i + 1, compared.length);
  }
  // Autovacuum would update the planner statistics only after a minute or so.
  await db.query(sql`analyze events`);
  return report;
}

async function importOne(
  db: Database,
  entry: ComparedEntry,
  said: ReadEntry,
  options: ImportOptions,
  report: ImportReport,
): Promise<void> {
  const { line, title, notes } = said;
  const refuse = (cause: ImportReport['errors'][number]['cause'], reason: string) =>
    report.errors.push({ line, ...(title !== '' && { title }), cause, reason });
  if (said.kind === 'refused') return void refuse(said.cause, notes.join('; '));
  if (entry.state === 'refused') return void refuse('field', entry.reason ?? '');
  try {
    const { result } = await publish(db, entry, options);
    report[result]++;
    if (result !== 'unchanged') noteChange(report, said);
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    refuse(error.entryCause, error.message);
  }
}

async function publish(
  db: Database,
  entry: ComparedEntry,
  { organizerId, publicUrl, now = new Date() }: ImportOptions,
): Promise<Published> {
  if (entry.state === 'same' || entry.state === 'skipped') return { eventId: null, result: 'unchanged' };
  return transaction(db, async (tx) => {
    if (!(await lockAccount(tx, organizerId)))
      throw new OrganizerError('The account of the organizer is suspended or deleted.');
    return publishEntry(tx, { organizerId, publicUrl, now }, entry);
  });
}

function noteChange(report: ImportReport, said: ReadEntry): void {
  const { line, title, notes, by } = said;
  if (by === 'name') report.placedByName++;
  if (said.kind === 'event' && said.unplaced !== null)
    report.unplaced.push({ line, title, cause: 'place', reason: said.unplaced });
  else if (by === 'default') report.placedByDefault++;
  report.warnings.push(...notes.map((reason) => ({ line, title, reason })));
}
