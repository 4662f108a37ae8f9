/** Reads what a source says, and finds what that changes. */
import { runInTurn } from '#base';
import { transaction } from '#pg';
import { listSourceImports, renameKey } from '../../events/source-imports.ts';
import { addDuplicates } from '../add-duplicates.ts';
import { CalendarError } from '../calendar-error.ts';
import { type ComparedEntry, compareEntries, isSeriesEdited } from '../compare-entries.ts';
import type { EntryContent } from '../entry-content.ts';
import { kindOf } from '../file-kind.ts';
import type { Calendar } from '../parse-calendar.ts';
import { readFile } from '../read-file.ts';
import { readForReview } from '../runs/read-for-review.ts';
import type { SaidSeries } from '../series-change.ts';
import type { Question } from '../tables/date-order.ts';
import { findAbsences, findRenames, type Known } from './absences.ts';
import { decideEntries } from './decide-entries.ts';
import type { FetchServices } from './shared-fetches.ts';
import { keyPrefixOf, lockTaken, type Source } from './source-repo.ts';
import type { Findings } from './store-findings.ts';

/**
 * @returns what the person has to say first; null if another server has the source now, or it was deleted
 * @throws CalendarError for a file that cannot be read, or has no entry
 */
export async function readSource(
  { db, clock }: FetchServices,
  source: Source,
  { body, type, fetchedAt, hourLength }: { body: Buffer; type: string; fetchedAt: Date; hourLength: number },
): Promise<Findings | { question: Question } | null> {
  const { userId, options, addressHash, autoPublish, answers } = source;
  const file = await readFile(body, kindOf(body, type), answers);
  if ('question' in file) return file;
  const keyPrefix = keyPrefixOf(addressHash);
  const now = clock();
  const entries = await readForReview(db, file, { userId, options, addressHash, now });
  // An outage often looks like a calendar without entries.
  if (!entries.some(({ kind }) => kind !== 'refused'))
    throw new CalendarError('file_unreadable', 'has no entry');
  const known = await listKnown(db, source, now);
  const renames = findRenames(known, entries);
  if (renames.length > 0 && !(await rename(db, source, renames))) return null;
  const current = renames.length > 0 ? await listKnown(db, source, now) : known;
  const compared = await compareEntries(
    db,
    { organizerId: userId, keepsEdits: false, byHash: true },
    entries,
  );
  await addDuplicates(db, userId, compared, now);
  const keys = new Set(compared.map(({ key }) => key));
  // A later part that the calendar has no more: its dates are those of the first part again.
  const isPart = ({ key, series }: Known) => series !== null && keys.has(key.split('\n', 1)[0] ?? '');
  const parts = new Set(current.filter(isPart).map(({ key }) => key));
  const isUnreadable = unreadableKeys(
    file.calendar,
    keyPrefix,
    entries.some(({ kind }) => kind === 'refused'),
  );
  const isPresent = (key: string) => keys.has(key) || parts.has(key) || isUnreadable(key);
  const absences = findAbsences(current, isPresent, { fetchedAt, hourLength });
  const byKey = new Map(current.map((one) => [one.key, one]));
  const edited = await listEdited(db, compared, byKey);
  const decisions = decideEntries(compared, byKey, absences, { autoPublish, edited });
  return { decisions, absences, present: current.filter(({ key }) => isPresent(key)), fetchedAt };
}

/** The entries that change of a series what a person has changed here. */
async function listEdited(
  db: FetchServices['db'],
  compared: ComparedEntry[],
  known: Map<string, Known>,
): Promise<Set<ComparedEntry>> {
  const edited = new Set<ComparedEntry>();
  for (const entry of compared) {
    const { series: parts, content } = known.get(entry.key) ?? {};
    if (entry.state !== 'changed' || !entry.series || !parts || !content) continue;
    const said = content as SaidSeries;
    if (await runInTurn(() => isSeriesEdited(db, entry, { parts, said }))) edited.add(entry);
  }
  return edited;
}

const listKnown = (db: FetchServices['db'], { userId, addressHash }: Source, now: Date): Promise<Known[]> =>
  listSourceImports<EntryContent>(db, userId, keyPrefixOf(addressHash), now);

/** Under the lock of the source. @returns false if another server has it, or it was deleted */
const rename = (db: FetchServices['db'], source: Source, renames: { from: string; to: string }[]) =>
  transaction(db, async (tx) => {
    if (!(await lockTaken(tx, source))) return false;
    for (const one of renames) await renameKey(tx, source.userId, one);
    return true;
  });

/** An entry that cannot be read is there all the same: its event is not missing. */
function unreadableKeys(
  { blocks }: Calendar,
  keyPrefix: string,
  hasUnreadable: boolean,
): (key: string) => boolean {
  if (!hasUnreadable) return () => false;
  const uids = new Set(
    blocks.flatMap(({ lines }) => {
      const line = lines.find(({ text }) => /^UID[:;]/i.test(text));
      return line ? [line.text.slice(line.text.indexOf(':') + 1).trim()] : [];
    }),
  );
  return (key) => uids.has(key.slice(keyPrefix.length).split('\n', 1)[0] ?? '');
}
