/** SQL of imports that are reviewed: `import_runs` and `import_entries`. */
import { dayMs } from '#base';
import { type Database, insertRows, insertValues, type Queryable, sql, type Transaction } from '#pg';
import type { Coordinates } from '#record-index';
import type { ComparedEntry, EntryState } from '../compare-entries.ts';
import type { EntryDefaults } from '../entry-content.ts';
import type { FileKind } from '../file-kind.ts';
import type { Answers, Question } from '../tables/date-order.ts';
import type { ImportProblemCode, ImportStatus } from './schemas.ts';

/** `url`: an address, whose kind is known once it has answered. */
export type Media = FileKind | 'url';
export type RunOptions = EntryDefaults & { place: Coordinates | null };
export type Counts = Partial<Record<EntryState | 'waiting', number>>;
export type ImportProblem = { code: ImportProblemCode; detail: string };

/** An import. `publishesDoubtful`: what the person said of doubtful entries. */
export type Run = {
  userId: string;
  id: string;
  status: ImportStatus;
  media: Media;
  options: RunOptions;
  counts: Counts;
  problem: ImportProblem | null;
  /** Those that are open. */
  questions: Question[];
  answers: Answers;
  publishesDoubtful: boolean;
  progress: number;
  createdAt: Date;
};
type Key = Pick<Run, 'userId' | 'id'>;

const columns = sql`
  user_id, id, status, media, options, counts, problem, questions, answers, publishes_doubtful, progress, created_at`;

export async function findRun(db: Queryable, { userId, id }: Key): Promise<Run | null> {
  const [run] = await db.query<Run>(
    sql`select ${columns} from import_runs where user_id = ${userId} and id = ${id}`,
  );
  return run ?? null;
}

export async function lockRun(tx: Transaction, { userId, id }: Key): Promise<Run | null> {
  const [run] = await tx.query<Run>(
    sql`select ${columns} from import_runs where user_id = ${userId} and id = ${id} for update`,
  );
  return run ?? null;
}

/** What is to be read: a file, or the address from which it is fetched. */
export type Source = { file: Buffer | null; url: string | null };

export async function findSource(db: Queryable, { userId, id }: Key): Promise<Source> {
  const [run] = await db.query<Source>(
    sql`select file, url from import_runs where user_id = ${userId} and id = ${id}`,
  );
  return run ?? { file: null, url: null };
}

/** A file that is to be read now. */
export async function insertRun(
  tx: Transaction,
  {
    userId,
    id,
    media,
    options,
    file,
    url,
    now,
  }: Pick<Run, 'userId' | 'id' | 'media' | 'options'> & Source & { now: Date },
): Promise<void> {
  const row = { user_id: userId, id, status: 'reading', media, file, url, due_at: now, created_at: now };
  await tx.execute(sql`
    insert into import_runs ${insertValues({ ...row, options: sql`${JSON.stringify(options)}::jsonb` })}`);
}

/** How many imports of a person are not done. */
export async function countOpen(tx: Transaction, userId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from import_runs
    where user_id = ${userId} and status in ('reading', 'review', 'publishing')`);
  return row?.count ?? 0;
}

/** The entries of a file that has been read, in place of those of an interrupted attempt. */
export async function insertEntries(
  tx: Transaction,
  { userId, id }: Key,
  entries: ComparedEntry[],
  first: number,
): Promise<void> {
  const rows = entries.map(({ state, key, ...details }, i) => ({
    ...{ userId, importId: id, n: first + i, state, key },
    details: JSON.stringify(details),
  }));
  await tx.execute(
    insertRows('import_entries', rows, {
      ...{ userId: 'uuid', importId: 'uuid', n: 'int', state: 'text', key: 'text' },
      details: 'jsonb',
    }),
  );
}

export const setReview = async (tx: Transaction, { userId, id }: Key, counts: Counts): Promise<void> => {
  await tx.execute(sql`
    update import_runs set status = 'review', file = null, url = null, due_at = null, counts = ${JSON.stringify(counts)}::jsonb
    where user_id = ${userId} and id = ${id}`);
};

/** The file waits for an answer. */
export const setQuestion = async (
  tx: Transaction,
  { userId, id }: Key,
  { question, file, media }: { question: Question; file: Buffer; media: Media },
): Promise<void> => {
  await tx.execute(sql`
    update import_runs set status = 'review', questions = ${JSON.stringify([question])}::jsonb, file = ${file}, media = ${media},
      url = null, due_at = null
    where user_id = ${userId} and id = ${id}`);
};

/** Without an open question, the file is read again. */
export const setAnswers = async (
  tx: Transaction,
  { userId, id }: Key,
  { answers, questions, now }: Pick<Run, 'answers' | 'questions'> & { now: Date },
): Promise<void> => {
  const isOpen = questions.length > 0;
  await tx.execute(sql`
    update import_runs set answers = ${JSON.stringify(answers)}::jsonb, questions = ${JSON.stringify(questions)}::jsonb,
      status = ${isOpen ? 'review' : 'reading'}, due_at = ${isOpen ? null : now}
    where user_id = ${userId} and id = ${id}`);
};

export const setFailed = async (
  db: Queryable,
  { userId, id }: Key,
  problem: ImportProblem,
): Promise<void> => {
  await db.execute(sql`
    update import_runs set status = 'failed', file = null, url = null, due_at = null, problem = ${JSON.stringify(problem)}::jsonb
    where user_id = ${userId} and id = ${id} and status in ('reading', 'publishing')`);
};

export const setPublishing = async (
  tx: Transaction,
  { userId, id }: Key,
  { publishesDoubtful, now }: { publishesDoubtful: boolean; now: Date },
): Promise<void> => {
  await tx.execute(sql`
    update import_runs set status = 'publishing', publishes_doubtful = ${publishesDoubtful}, due_at = ${now}
    where user_id = ${userId} and id = ${id}`);
};

/** Imports that one run of the job works on. */
const maxDue = 50;

export const listDue = (db: Database, now: Date): Promise<Key[]> =>
  db.query<Key>(
    sql`select user_id, id from import_runs where due_at <= ${now} order by due_at limit ${maxDue}`,
  );

/** How long an import belongs to the server that works on it. Another one takes it over then: the server may have ended. */
const leaseMs = 60_000;

/** Takes an import that is due. Of several servers, the update of one finds the row as it was. @returns whether this server has it */
export async function claimRun(db: Database, { userId, id }: Key, now: Date): Promise<boolean> {
  const count = await db.execute(sql`
    update import_runs set due_at = ${new Date(now.getTime() + leaseMs)}
    where user_id = ${userId} and id = ${id} and due_at <= ${now}`);
  return count === 1;
}

/** Entries as they are stored. */
export type EntryRow = ComparedEntry & { n: number; eventId: string | null; isPublished: boolean };
type StoredEntry = Pick<EntryRow, 'n' | 'state' | 'key' | 'eventId' | 'isPublished'> & {
  details: Omit<ComparedEntry, 'state' | 'key'>;
};
const entryColumns = sql`n, state, key, details, event_id, is_published`;
const fromRow = ({ details, ...row }: StoredEntry): EntryRow => ({ ...row, ...details });

export async function listEntries(
  db: Queryable,
  { userId, id }: Key,
  { state, after, limit }: { state: EntryState | undefined; after: number; limit: number },
): Promise<EntryRow[]> {
  const rows = await db.query<StoredEntry>(sql`
    select ${entryColumns} from import_entries
    where user_id = ${userId} and import_id = ${id} and n > ${after} ${state ? sql`and state = ${state}` : sql``}
    order by n limit ${limit}`);
  return rows.map(fromRow);
}

export async function lockEntry(tx: Transaction, { userId, id }: Key, n: number): Promise<EntryRow | null> {
  const [row] = await tx.query<StoredEntry>(sql`
    select ${entryColumns} from import_entries
    where user_id = ${userId} and import_id = ${id} and n = ${n} for update`);
  return row ? fromRow(row) : null;
}

export const updateEntry = async (
  tx: Transaction,
  { userId, id }: Key,
  { n, state, key: _, eventId, isPublished, ...details }: EntryRow,
): Promise<void> => {
  await tx.execute(sql`
    update import_entries set state = ${state}, details = ${JSON.stringify(details)}::jsonb, event_id = ${eventId},
      is_published = ${isPublished}
    where user_id = ${userId} and import_id = ${id} and n = ${n}`);
};

/** Counts the entries anew: after a change of one, and while they are published. */
export async function countEntries(db: Queryable, { userId, id }: Key): Promise<Counts> {
  const rows = await db.query<{ state: EntryState; count: number }>(sql`
    select state, count(*)::int as count from import_entries
    where user_id = ${userId} and import_id = ${id} group by state`);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

export const setCounts = async (tx: Transaction, { userId, id }: Key, counts: Counts): Promise<void> => {
  await tx.execute(sql`
    update import_runs set counts = ${JSON.stringify(counts)}::jsonb where user_id = ${userId} and id = ${id}`);
};

/** The numbers of entries that the publication has not come to yet. */
export async function listUnpublished(db: Queryable, { userId, id }: Key, limit: number): Promise<number[]> {
  const rows = await db.query<{ n: number }>(sql`
    select n from import_entries where user_id = ${userId} and import_id = ${id} and not is_published
    order by n limit ${limit}`);
  return rows.map(({ n }) => n);
}

export async function countUnpublished(
  db: Queryable,
  { userId, id }: Key,
): Promise<{ open: number; total: number }> {
  const [row] = await db.query<{ open: number; total: number }>(sql`
    select count(*) filter (where not is_published)::int as open, count(*)::int as total
    from import_entries where user_id = ${userId} and import_id = ${id}`);
  return row ?? { open: 0, total: 0 };
}

/** Stores how far the publication is. @param dueAt when it goes on; null once it is done */
export const setProgress = async (
  db: Queryable,
  { userId, id }: Key,
  { counts, progress, dueAt }: { counts: Counts; progress: number; dueAt: Date | null },
): Promise<void> => {
  await db.execute(sql`
    update import_runs set counts = ${JSON.stringify(counts)}::jsonb, progress = ${progress}, due_at = ${dueAt},
      status = ${dueAt ? 'publishing' : 'done'}
    where user_id = ${userId} and id = ${id} and status = 'publishing'`);
};

const keptMs = 7 * dayMs;

/** Deletes old imports with their entries. One that still waits for its next day stays. */
export const deleteOldRuns = async (db: Database, now: Date): Promise<void> => {
  await db.execute(sql`
    delete from import_runs where created_at <= ${new Date(now.getTime() - keptMs)} and status <> 'publishing'`);
};
