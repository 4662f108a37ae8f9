/** Stores what a good fetch of a source changes: what is published by itself, and what waits in the one open review. */
import type { Transaction } from '#pg';
import { endAbsence, setFindings } from '../../events/source-imports.ts';
import type { ComparedEntry } from '../compare-entries.ts';
import type { EntryRow, Run } from '../runs/repo.ts';
import type { Absences, Known } from './absences.ts';
import type { Decisions } from './decide-entries.ts';
import type { Source } from './source-repo.ts';
import {
  addEntries,
  deleteEntries,
  insertSourceRun,
  listOpenEntries,
  lockOpenRuns,
  setState,
} from './source-runs.ts';

export type Findings = {
  decisions: Decisions;
  absences: Absences;
  /** Entries that are in the file, some of which were missing. */
  present: Known[];
  fetchedAt: Date;
};

/**
 * The transaction must hold the lock of the source, under which one server at a time stores what it has read. The lock of each import
 * lets the person's changes and publications come before it or after it: what the person has changed in the review stays.
 * @returns false if the person publishes the review at this moment: what it makes is not known yet
 */
export async function storeFindings(
  tx: Transaction,
  source: Source,
  { decisions, absences, present, fetchedAt }: Findings,
  now: Date,
): Promise<boolean> {
  const runs = await lockOpenRuns(tx, source);
  if (runs.some(({ status, isAutomatic }) => status === 'publishing' && !isAutomatic)) return false;
  const first = runs.find(({ status }) => status === 'reading');
  const automatic = runs.find(({ status }) => status === 'publishing');
  const review = runs.find(({ status }) => status === 'review');
  if (first) await storeFirst(tx, first, decisions, now);
  else await storeChanges(tx, source, { automatic, review }, decisions, now);
  await setFindings(tx, source.userId, {
    missing: absences.missing.map(({ key }) => key),
    present: present.filter(({ missingSince }) => missingSince !== null).map(({ key }) => key),
    said: decisions.said,
    fetchedAt,
  });
  await endAbsence(tx, source.userId, decisions.returned);
  return true;
}

/** The import that began to follow the source shows all entries, as any other does. */
async function storeFirst(
  tx: Transaction,
  run: Run,
  { automatic, waiting, others }: Decisions,
  now: Date,
): Promise<void> {
  const entries = [
    ...automatic.map((entry) => ({ ...entry, waits: false })),
    ...[...waiting].map((entry) => ({ ...entry, waits: true })),
    ...others.map((entry) => ({ ...entry, waits: false })),
  ];
  await addEntries(
    tx,
    run,
    entries.sort((a, b) => a.line - b.line),
  );
  if (automatic.length > 0) await setState(tx, run, { status: 'publishing', isAutomatic: true, dueAt: now });
  else await setState(tx, run, { status: waiting.length > 0 ? 'review' : 'done' });
}

type OpenRuns = { automatic: Run | undefined; review: Run | undefined };

async function storeChanges(
  tx: Transaction,
  source: Source,
  { automatic, review }: OpenRuns,
  decisions: Decisions,
  now: Date,
): Promise<void> {
  const kept = review ? await listOpenEntries(tx, review) : [];
  const edited = new Set(kept.filter(({ isEdited }) => isEdited).map(({ key, hash }) => `${hash} ${key}`));
  // What the person has changed in the review is published from there.
  const isHeld = ({ key, hash }: ComparedEntry) => edited.has(`${hash} ${key}`);
  const published = decisions.automatic.filter((entry) => !isHeld(entry));
  const waiting = [...decisions.waiting, ...decisions.automatic.filter(isHeld)];
  await storeAutomatic(tx, source, automatic, published, now);
  if (review) await mergeReview(tx, review, kept, waiting);
  else if (waiting.length > 0) {
    const run = await insertSourceRun(tx, source, { status: 'review' }, now);
    await addEntries(tx, run, waiting);
    await setState(tx, run, { status: 'review' });
  }
}

/** What is published by itself, in place of what an earlier fetch left to publish. */
async function storeAutomatic(
  tx: Transaction,
  source: Source,
  before: Run | undefined,
  entries: ComparedEntry[],
  now: Date,
): Promise<void> {
  if (!before && entries.length === 0) return;
  const run = before ?? (await insertSourceRun(tx, source, { status: 'publishing', isAutomatic: true }, now));
  if (before)
    await deleteEntries(
      tx,
      run,
      (await listOpenEntries(tx, run)).map(({ n }) => n),
    );
  await addEntries(tx, run, entries);
  if (entries.length > 0) await setState(tx, run, { status: 'publishing', isAutomatic: true, dueAt: now });
  else await setState(tx, run, { status: 'done' });
}

/** Entries that say what they said stay as they are in the review; others leave it or join it. */
async function mergeReview(
  tx: Transaction,
  review: Run,
  kept: EntryRow[],
  waiting: ComparedEntry[],
): Promise<void> {
  const wanted = new Map(waiting.map((entry) => [entry.key, entry]));
  const isSame = (row: EntryRow) => {
    const entry = wanted.get(row.key);
    return entry !== undefined && entry.hash === row.hash && (row.isEdited || isEqual(entry, row));
  };
  const gone = kept.filter((row) => !isSame(row));
  const keptKeys = new Set(kept.filter(isSame).map(({ key }) => key));
  await deleteEntries(
    tx,
    review,
    gone.map(({ n }) => n),
  );
  await addEntries(
    tx,
    review,
    waiting.filter(({ key }) => !keptKeys.has(key)),
  );
  await setState(tx, review, { status: waiting.length > 0 ? 'review' : 'done' });
}

const isEqual = (a: ComparedEntry, b: ComparedEntry): boolean =>
  a.state === b.state &&
  JSON.stringify(a.change) === JSON.stringify(b.change) &&
  JSON.stringify(a.duplicates) === JSON.stringify(b.duplicates);
