/** `import FILE.ics --organizer PHONE`: takes a calendar over; again, it takes over what changed. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Options, Presets, SingleBar } from 'cli-progress';
import type { Database } from '../db/client.ts';
import { databaseProblem } from '../db/errors.ts';
import { sql } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import type { Config } from '../lib/config.ts';
import { findOrCreateAccount } from '../modules/auth/accounts.ts';
import { categorySlugs } from '../modules/events/catalogue.ts';
import { parsePhoneArgument } from './admin.ts';
import { runCommand } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { type Calendar, type Fault, readCalendar } from './import/calendar.ts';
import { type Entry, readEntry } from './import/entry.ts';
import { openGazetteer } from './import/gazetteer.ts';
import { listImported } from './import/queries.ts';
import { Refusal, takeOver, type Wishes } from './import/take-over.ts';

type ImportOptions = { organizer?: string | undefined; category?: string | undefined };
export type Report = {
  added: number;
  changed: number;
  unchanged: number;
  /** Of the added and changed ones, those whose place was found by the name in LOCATION. */
  placedByName: number;
  /** What was left out, and what came in otherwise than it is written; by line. */
  faults: Fault[];
  notes: Fault[];
};

/** Broken entries are named on stderr and do not fail the command: the others came in. */
export async function importCommand(config: Config, rest: string[], options: ImportOptions): Promise<void> {
  const [file, ...others] = rest;
  if (!file || others.length > 0 || !options.organizer) {
    throw new CommandError('Usage: import FILE.ics --organizer PHONE [--category SLUG]');
  }
  const phone = parsePhoneArgument(options.organizer);
  const { category } = options;
  if (category !== undefined && !categorySlugs.some((slug) => slug === category)) {
    throw new CommandError(`There is no category "${category}". There are: ${categorySlugs.join(', ')}.`);
  }
  const calendar = readCalendar(await readBytes(file));
  if (!calendar) throw new CommandError(`${file} is not a calendar: it has no BEGIN:VCALENDAR.`);
  await runCommand(config, async ({ db }) => {
    const report = await importCalendar(db, calendar, phone, category).catch((error) => {
      if (databaseProblem(error)?.code !== 'unavailable') throw error;
      throw new CommandError(
        `The database went away (${error.message}). Import again to take over the rest.`,
      );
    });
    print(report, path.basename(file));
  });
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const why: Record<string, string> = {
      ENOENT: 'does not exist',
      EISDIR: 'is a directory',
      EACCES: 'may not be read by this user',
      ERR_FS_FILE_TOO_LARGE: 'is too large',
    };
    throw new CommandError(`${file} ${why[code] ?? `cannot be read: ${message}`}.`);
  }
}

/** Each entry is a transaction of its own: an import that was cut off is finished by the next one. */
export async function importCalendar(
  db: Database,
  calendar: Calendar,
  phone: string,
  category?: string | undefined,
): Promise<Report> {
  const report: Report = {
    added: 0,
    changed: 0,
    unchanged: 0,
    placedByName: 0,
    faults: [...calendar.faults],
    notes: [],
  };
  const entries = onePerKey(
    calendar.blocks.flatMap((block) => {
      const entry = readEntry(block, calendar);
      if ('key' in entry) return [entry];
      report.faults.push(entry);
      return [];
    }),
    report,
  );
  const { id: organizerId } = await transaction(db, (tx) => findOrCreateAccount(tx, phone, new Date()));
  const needsPlace = entries.some(({ geo, address }) => !geo && address);
  const commands: Wishes = { organizerId, category, gazetteer: needsPlace ? await openGazetteer() : null };
  const bar = progressBar(entries.length);
  try {
    for (let from = 0; from < entries.length; from += batch) {
      await takeOverBatch(db, entries.slice(from, from + batch), commands, report, () => bar.increment());
    }
  } finally {
    bar.stop();
  }
  // Lists are planned by what PostgreSQL knows of the table; it would look by itself only in a minute or so.
  await db.query(sql`analyze events`);
  for (const list of [report.faults, report.notes]) list.sort((a, b) => a.line - b.line);
  return report;
}

/** Entries whose events are looked up at once. */
const batch = 500;

async function takeOverBatch(
  db: Database,
  entries: Entry[],
  commands: Wishes,
  report: Report,
  step: () => void,
) {
  const known = await listImported(
    db,
    commands.organizerId,
    entries.map(({ key }) => key),
  );
  for (const entry of entries) {
    const { line, title, notes } = entry;
    try {
      const { result, placedByName } = await takeOver(db, entry, known.get(entry.key) ?? null, commands);
      report[result]++;
      if (placedByName) report.placedByName++;
      if (result !== 'unchanged') report.notes.push(...notes.map((reason) => ({ line, title, reason })));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      report.faults.push({ line, title, reason: error.message });
    }
    step();
  }
}

/** Of several entries with one UID the newest revision counts, and of those the last; the others are reported. */
function onePerKey(entries: Entry[], report: Report): Entry[] {
  const byKey = new Map<string, Entry>();
  for (const entry of entries) {
    const rival = byKey.get(entry.key);
    const [winner, loser] = rival && rival.sequence > entry.sequence ? [rival, entry] : [entry, rival];
    byKey.set(entry.key, winner);
    if (!loser) continue;
    const reason = `has the UID of line ${winner.line}, which counts`;
    report.faults.push({ line: loser.line, title: loser.title, reason });
  }
  return [...byKey.values()];
}

/** Silent where no terminal shows it. */
function progressBar(total: number): SingleBar {
  const options: Options = { format: '  {bar} {value}/{total}', hideCursor: true, clearOnComplete: true };
  const bar = new SingleBar(options, Presets.rect);
  bar.start(total, 0);
  return bar;
}

function print({ added, changed, unchanged, placedByName, faults, notes }: Report, file: string): void {
  const say = ({ line, title, reason }: Fault) =>
    console.error(printable(`${file}:${line}: ${title ? `"${title}" ` : ''}${reason}`));
  notes.forEach(say);
  faults.forEach(say);
  const out = faults.length > 0 ? `, ${faults.length} left out` : '';
  console.log(`${added} added, ${changed} changed, ${unchanged} unchanged${out}.`);
  if (placedByName === 1) console.log('1 had no GEO and was placed by its LOCATION.');
  if (placedByName > 1) console.log(`${placedByName} had no GEO and were placed by their LOCATION.`);
}

/** A calendar is written by others: nothing in it may steer the terminal. */
const printable = (text: string): string => text.replace(/\p{C}/gu, '\uFFFD');
