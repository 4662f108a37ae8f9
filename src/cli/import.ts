/** `import FILE.ics --organizer CONTACT`: imports a calendar. A repeated import applies only the changes. */
import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { Database } from '../db/client.ts';
import { databaseProblem } from '../db/errors.ts';
import { sql } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { inChunks } from '../lib/chunks.ts';
import type { Config } from '../lib/config.ts';
import { categorySlugs } from '../modules/events/catalogue.ts';
import { listImportedEvents } from '../modules/events/imports.ts';
import { findOrCreateByCommand, nameOf, parseContactArgument } from './command/accounts.ts';
import { runCommand } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';
import { startProgressBar } from './command/progress-bar.ts';
import { loadGeocoder } from './import/geocoder.ts';
import { EntryError, type ImportContext, importEntry } from './import/import-entry.ts';
import {
  type Calendar,
  CalendarError,
  type EntryIssue,
  maxFileBytes,
  parseCalendar,
} from './import/parse-calendar.ts';
import { type CalendarEntry, parseEntry } from './import/parse-entry.ts';

type ImportOptions = { organizer?: string | undefined; category?: string | undefined };
export type ImportReport = {
  added: number;
  changed: number;
  unchanged: number;
  /** The number of added and changed events whose coordinates come from LOCATION. */
  placedByName: number;
  /** Entries that were not imported, by line. */
  errors: EntryIssue[];
  /** Parts of imported entries that were omitted or shortened, by line. */
  warnings: EntryIssue[];
};

/** Prints invalid entries to stderr. They do not fail the command. @throws CommandError */
export async function importCommand(config: Config, rest: string[], options: ImportOptions): Promise<void> {
  const [file, ...others] = rest;
  if (!file || others.length > 0 || !options.organizer) {
    throw new CommandError('Usage: import FILE.ics --organizer CONTACT [--category SLUG]');
  }
  const contact = parseContactArgument(options.organizer);
  const { category } = options;
  if (category !== undefined && !categorySlugs.some((slug) => slug === category)) {
    throw new CommandError(`There is no category "${category}". There are: ${categorySlugs.join(', ')}.`);
  }
  const calendar = readCalendar(file, await readBytes(file));
  await runCommand(config, async ({ db, config: { secretKey } }) => {
    const importAll = async () => {
      const organizer = await transaction(db, (tx) => findOrCreateByCommand(tx, contact, secretKey));
      if (organizer.isNew) console.log(`No account had ${nameOf(contact)}: created one.`);
      return importCalendar(db, calendar, organizer.id, category);
    };
    const report = await importAll().catch((error) => {
      if (databaseProblem(error)?.code !== 'unavailable') throw error;
      throw new CommandError(
        `The connection to the database was lost (${error.message}). Import again to continue.`,
      );
    });
    printReport(report, path.basename(file));
  });
}

/** @throws CommandError */
function readCalendar(file: string, bytes: Buffer): Calendar {
  try {
    return parseCalendar(bytes);
  } catch (error) {
    throw error instanceof CalendarError ? new CommandError(`${file} ${error.message}.`) : error;
  }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    // One byte more than a calendar may have shows that the file is larger.
    return Buffer.concat(await Array.fromAsync(createReadStream(file, { end: maxFileBytes })));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = {
      ENOENT: 'does not exist',
      EISDIR: 'is a directory',
      EACCES: 'may not be read by this user',
    };
    throw new CommandError(`${file} ${reasons[code] ?? `cannot be read: ${message}`}.`);
  }
}

/** Imports each entry in its own transaction, so a repeated import completes an interrupted one. */
export async function importCalendar(
  db: Database,
  calendar: Calendar,
  organizerId: string,
  category?: string | undefined,
): Promise<ImportReport> {
  const report: ImportReport = {
    added: 0,
    changed: 0,
    unchanged: 0,
    placedByName: 0,
    errors: [...calendar.errors],
    warnings: [],
  };
  const entries = uniqueByKey(
    calendar.blocks.flatMap((block) => {
      const entry = parseEntry(block, calendar);
      if ('key' in entry) return [entry];
      report.errors.push(entry);
      return [];
    }),
    report,
  );
  const needsPlace = entries.some(({ geo, address }) => !geo && address);
  const context: ImportContext = {
    organizerId,
    category,
    geocoder: needsPlace ? await loadGeocoder() : null,
  };
  using bar = startProgressBar('{bar} {value}/{total}', entries.length);
  // The events of some entries are read with one query.
  for (const some of inChunks(entries)) {
    await importBatch(db, some, context, report, () => bar.increment());
  }
  // Autovacuum would update the planner statistics only after a minute or so.
  await db.query(sql`analyze events`);
  for (const list of [report.errors, report.warnings]) list.sort((a, b) => a.line - b.line);
  return report;
}

async function importBatch(
  db: Database,
  entries: CalendarEntry[],
  context: ImportContext,
  report: ImportReport,
  onEntryDone: () => void,
) {
  const known = await listImportedEvents(
    db,
    context.organizerId,
    entries.map(({ key }) => key),
  );
  for (const entry of entries) {
    const { line, title, warnings } = entry;
    try {
      const { result, placedByName } = await importEntry(db, entry, known.get(entry.key) ?? null, context);
      report[result]++;
      if (placedByName) report.placedByName++;
      if (result !== 'unchanged')
        report.warnings.push(...warnings.map((reason) => ({ line, title, reason })));
    } catch (error) {
      if (!(error instanceof EntryError)) throw error;
      report.errors.push({ line, title, reason: error.message });
    }
    onEntryDone();
  }
}

/**
 * Of several entries with one UID, keeps the highest SEQUENCE, or the last one if these are equal. Reports
 * the others.
 */
function uniqueByKey(entries: CalendarEntry[], report: ImportReport): CalendarEntry[] {
  const byKey = new Map<string, CalendarEntry>();
  for (const entry of entries) {
    const other = byKey.get(entry.key);
    const [newer, older] = other && other.sequence > entry.sequence ? [other, entry] : [entry, other];
    byKey.set(entry.key, newer);
    if (!older) continue;
    const reason = `has the same UID as line ${newer.line}, which replaces it`;
    report.errors.push({ line: older.line, title: older.title, reason });
  }
  return [...byKey.values()];
}

function printReport(
  { added, changed, unchanged, placedByName, errors, warnings }: ImportReport,
  file: string,
): void {
  const printIssue = ({ line, title, reason }: EntryIssue) =>
    console.error(printable(`${file}:${line}: ${title ? `"${title}" ` : ''}${reason}`));
  warnings.forEach(printIssue);
  errors.forEach(printIssue);
  const skipped = errors.length > 0 ? `, ${errors.length} skipped` : '';
  console.log(`${added} added, ${changed} changed, ${unchanged} unchanged${skipped}.`);
  if (placedByName === 1) console.log('1 had no GEO and was placed by its LOCATION.');
  if (placedByName > 1) console.log(`${placedByName} had no GEO and were placed by their LOCATION.`);
}

/** Replaces control characters, because text of a calendar could contain terminal escape sequences. */
const printable = (text: string): string => text.replace(/\p{C}/gu, '\uFFFD');
