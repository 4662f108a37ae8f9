/** Reads the file of an import, and stores its entries for the review. */
import { type Database, transaction } from '#pg';
import { parseAddress } from '../../../lib/user-texts/parse-address.ts';
import { addDuplicates } from '../add-duplicates.ts';
import { type ComparedEntry, compareEntries } from '../compare-entries.ts';
import { type FileKind, kindOf } from '../file-kind.ts';
import { SourceProblem } from '../import-problem.ts';
import { readFile } from '../read-file.ts';
import { type FetchServices, obtainFile } from '../sources/shared-fetches.ts';
import type { Question } from '../tables/date-order.ts';
import { readForReview } from './read-for-review.ts';
import {
  type Counts,
  findInput,
  insertEntries,
  lockRun,
  postponeRun,
  type Run,
  type RunInput,
  setQuestion,
  setReview,
} from './repo.ts';
import { wantedOf } from './wanted-fetch.ts';

/**
 * Reading changes nothing but the entries, which are stored in one transaction: an interrupted attempt leaves none, and of two servers
 * the second finds the import read.
 * @throws CalendarError; SourceProblem
 */
export async function readRun(services: FetchServices, run: Run): Promise<void> {
  const { db, clock } = services;
  const input = await findInput(db, run);
  const file = await fileOf(services, run, input);
  if (!file) return;
  const read = await readFile(file.bytes, file.kind, run.answers);
  if ('question' in read) return await askFor(db, run, { question: read.question, ...file });
  const asked = { userId: run.userId, options: run.options, addressHash: input.addressHash, now: clock() };
  const entries = await readForReview(db, read, asked);
  const compared = await compareEntries(db, { organizerId: run.userId, keepsEdits: false }, entries);
  await addDuplicates(db, run.userId, compared, clock());
  await transaction(db, async (tx) => {
    const locked = await lockRun(tx, run);
    if (locked?.status !== 'reading') return;
    await insertEntries(tx, run, compared);
    await setReview(tx, run, countStates(compared));
  });
}

type SentFile = { bytes: Buffer; kind: FileKind };

/** Null if another server has read it, or if the address may not be fetched now: the import is read later. @throws SourceProblem */
async function fileOf(
  services: FetchServices,
  run: Run,
  { file, url: address }: RunInput,
): Promise<SentFile | null> {
  const url = address === null ? null : parseAddress(address);
  if (!url) return file && run.media !== 'url' ? { bytes: file, kind: run.media } : null;
  const answer = await obtainFile(services, url, await wantedOf(services, run, url));
  if ('waitUntil' in answer) {
    await postponeRun(services.db, run, answer.waitUntil);
    return null;
  }
  if (answer.problem !== null) throw new SourceProblem(answer.problem);
  return { bytes: answer.body, kind: kindOf(answer.body, answer.type) };
}

/** The import waits for the answer, with its file. */
async function askFor(
  db: Database,
  run: Run,
  { question, bytes, kind }: SentFile & { question: Question },
): Promise<void> {
  await transaction(db, async (tx) => {
    const locked = await lockRun(tx, run);
    if (locked?.status === 'reading') await setQuestion(tx, run, { question, file: bytes, media: kind });
  });
}

function countStates(entries: ComparedEntry[]): Counts {
  const counts: Counts = {};
  for (const { state } of entries) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
