/** SQL of imports that are reviewed: `import_runs` and `import_entries`. */
import { dayMs, inChunks } from '#base';
import {
  type Database,
  insertRows,
  insertValues,
  type Queryable,
  type Statement,
  sql,
  type Transaction,
} from '#pg';
import type { ComparedEntry, EntryState } from '../compare-entries.ts';
import type { FileKind } from '../file-kind.ts';
import type { ImportProblem } from '../problem-codes.ts';
import type { ImportDefaults } from '../sources/source-repo.ts';
import type { Answers, Question } from '../tables/date-order.ts';
import type { ImportStatus } from './schemas.ts';

/** `url`: an address, whose kind is known once it has answered. */
export type Media = FileKind | 'url';
export type Counts = Partial<Record<EntryState | 'waiting', number>>;

/**
 * An import. `publishesDoubtful`: what the person said of doubtful entries. `sourceId`: of an import of a calendar that is followed.
 * `isAutomatic`: it is published without a review, but for the entries that wait.
 */
export type Run = {
  userId: string;
  id: string;
  status: ImportStatus;
  media: Media;
  options: ImportDefaults;
  counts: Counts;
  problem: ImportProblem | null;
  /** Those that are open. */
  questions: Question[];
  answers: Answers;
  publishesDoubtful: boolean;
  progress: number;
  createdAt: Date;
  sourceId: string | null;
  isAutomatic: boolean;
};
export type RunKey = Pick<Run, 'userId' | 'id'>;

const columns = sql`
  user_id, id, status, media, options, counts, problem, questions, answers, publishes_doubtful, progress, created_at,
  source_id, is_automatic`;

export async function findRun(db: Queryable, { userId, id }: RunKey): Promise<Run | null> {
  const [run] = await db.query<Run>(
    sql`select ${columns} from import_runs where user_id = ${userId} and id = ${id}`,
  );
  return run ?? null;
}

export async function lockRun(tx: Transaction, { userId, id }: RunKey): Promise<Run | null> {
  const [run] = await tx.query<Run>(
    sql`select ${columns} from import_runs where user_id = ${userId} and id = ${id} for update`,
  );
  return run ?? null;
}

/** What is to be read: a file, or the address from which it is fetched. `addressHash`: also of a file that was fetched. */
export type RunInput = { file: Buffer | null; url: string | null; addressHash: Buffer | null };

export async function findInput(db: Queryable, { userId, id }: RunKey): Promise<RunInput> {
  const [run] = await db.query<RunInput>(
    sql`select file, url, address_hash from import_runs where user_id = ${userId} and id = ${id}`,
  );
  return run ?? { file: null, url: null, addressHash: null };
}

export type NewRun = Pick<Run, 'userId' | 'id' | 'media' | 'options'> &
  Partial<Omit<RunInput, 'addressHash'>> & {
    addressHash: Buffer | null;
    /** Another status than `reading`, for what a source changed. */
    status?: ImportStatus;
    sourceId?: string;
    isAutomatic?: boolean;
    /** Null for an import whose source is due. */
    dueAt: Date | null;
    now: Date;
  };

/** A file that is to be read, or what a source changed. */
export async function insertRun(tx: Transaction, run: NewRun): Promise<void> {
  const { userId, id, media, options, file = null, url = null, addressHash, dueAt, now } = run;
  const { status = 'reading', sourceId = null, isAutomatic = false } = run;
  await tx.execute(sql`
    insert into import_runs ${insertValues({
      ...{
        user_id: userId,
        id,
        status,
        media,
        file,
        url,
        address_hash: addressHash,
        due_at: dueAt,
        created_at: now,
      },
      ...{ source_id: sourceId, is_automatic: isAutomatic, options: sql`${JSON.stringify(options)}::jsonb` },
    })}`);
}

/** Whether the person has another import of an address. */
export async function hasOtherImport(
  db: Queryable,
  { userId, id }: RunKey,
  addressHash: Buffer,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from import_runs
    where user_id = ${userId} and id <> ${id} and address_hash = ${addressHash} limit 1`);
  return rows.length > 0;
}

/** Sets when an import is read again whose address may not be fetched now. */
export const postponeRun = async (db: Queryable, { userId, id }: RunKey, dueAt: Date): Promise<void> => {
  await db.execute(sql`
    update import_runs set due_at = ${dueAt} where user_id = ${userId} and id = ${id} and status = 'reading'`);
};

/** How many imports of a person are not done, without those of sources, whose number is bounded. */
export async function countOpen(tx: Transaction, userId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from import_runs
    where user_id = ${userId} and source_id is null and status in ('reading', 'review', 'publishing')`);
  return row?.count ?? 0;
}

/** A statement of more entries would take long to write. */
const storedAtOnce = 50;

/** An entry to store. `waits`: in an automatic import, for the person. */
export type NewEntry = ComparedEntry & { waits?: boolean };

/** The entries of a file that has been read. @param first the number of the first one */
export async function insertEntries(
  tx: Transaction,
  { userId, id }: RunKey,
  entries: NewEntry[],
  first = 1,
): Promise<void> {
  let n = first;
  for (const some of inChunks(entries, storedAtOnce)) {
    const rows = some.map(({ state, key, waits = false, ...details }) => ({
      ...{ userId, importId: id, n: n++, state, key, waits },
      details: JSON.stringify(details),
    }));
    await tx.execute(
      insertRows('import_entries', rows, {
        ...{ userId: 'uuid', importId: 'uuid', n: 'int', state: 'text', key: 'text', waits: 'boolean' },
        details: 'jsonb',
      }),
    );
  }
}

export const setReview = async (tx: Transaction, { userId, id }: RunKey, counts: Counts): Promise<void> => {
  await tx.execute(sql`
    update import_runs set status = 'review', file = null, url = null, due_at = null, counts = ${JSON.stringify(counts)}::jsonb
    where user_id = ${userId} and id = ${id}`);
};

/** The file waits for an answer. */
export const setQuestion = async (
  tx: Transaction,
  { userId, id }: RunKey,
  { question, file, media }: { question: Question; file: Buffer | null; media: Media },
): Promise<void> => {
  await tx.execute(sql`
    update import_runs set status = 'review', questions = ${JSON.stringify([question])}::jsonb, file = ${file}, media = ${media},
      url = null, due_at = null
    where user_id = ${userId} and id = ${id}`);
};

/** Without an open question, the file is read again. @param now null for an import whose source is due */
export const setAnswers = async (
  tx: Transaction,
  { userId, id }: RunKey,
  { answers, questions, now }: Pick<Run, 'answers' | 'questions'> & { now: Date | null },
): Promise<void> => {
  const isOpen = questions.length > 0;
  await tx.execute(sql`
    update import_runs set answers = ${JSON.stringify(answers)}::jsonb, questions = ${JSON.stringify(questions)}::jsonb,
      status = ${isOpen ? 'review' : 'reading'}, due_at = ${isOpen ? null : now}
    where user_id = ${userId} and id = ${id}`);
};

export const setFailed = async (
  db: Queryable,
  { userId, id }: RunKey,
  problem: ImportProblem,
): Promise<void> => {
  await db.execute(sql`
    update import_runs set status = 'failed', file = null, url = null, due_at = null, problem = ${JSON.stringify(problem)}::jsonb
    where user_id = ${userId} and id = ${id} and status in ('reading', 'publishing')`);
};

export const setPublishing = async (
  tx: Transaction,
  { userId, id }: RunKey,
  { publishesDoubtful, now }: { publishesDoubtful: boolean; now: Date },
): Promise<void> => {
  await tx.execute(sql`
    update import_runs set status = 'publishing', publishes_doubtful = ${publishesDoubtful}, due_at = ${now}
    where user_id = ${userId} and id = ${id}`);
};

/** Imports that one run of the job works on. */
const maxDue = 50;

export const listDue = (db: Database, now: Date): Promise<RunKey[]> =>
  db.query<RunKey>(
    sql`select user_id, id from import_runs where due_at <= ${now} order by due_at limit ${maxDue}`,
  );

/** How long an import belongs to the server that works on it. Another one takes it over then: the server may have ended. */
const leaseMs = 60_000;

/** Takes an import that is due. Of several servers, the update of one finds the row as it was. @returns whether this server has it */
export async function claimRun(db: Database, { userId, id }: RunKey, now: Date): Promise<boolean> {
  const count = await db.execute(sql`
    update import_runs set due_at = ${new Date(now.getTime() + leaseMs)}
    where user_id = ${userId} and id = ${id} and due_at <= ${now}`);
  return count === 1;
}

/** Entries as they are stored. */
export type EntryRow = ComparedEntry & {
  n: number;
  eventId: string | null;
  isPublished: boolean;
  waits: boolean;
};
type StoredEntry = Pick<EntryRow, 'n' | 'state' | 'key' | 'eventId' | 'isPublished' | 'waits'> & {
  details: Omit<ComparedEntry, 'state' | 'key'>;
};
const entryColumns = sql`n, state, key, details, event_id, is_published, waits`;
const fromRow = ({ details, ...row }: StoredEntry): EntryRow => ({ ...row, ...details });

export async function listEntries(
  db: Queryable,
  { userId, id }: RunKey,
  { state, after, limit }: { state: EntryState | undefined; after: number; limit: number },
): Promise<EntryRow[]> {
  const rows = await db.query<StoredEntry>(sql`
    select ${entryColumns} from import_entries
    where user_id = ${userId} and import_id = ${id} and n > ${after} ${state ? sql`and state = ${state}` : sql``}
    order by n limit ${limit}`);
  return rows.map(fromRow);
}

export async function lockEntry(
  tx: Transaction,
  { userId, id }: RunKey,
  n: number,
): Promise<EntryRow | null> {
  const [row] = await tx.query<StoredEntry>(sql`
    select ${entryColumns} from import_entries
    where user_id = ${userId} and import_id = ${id} and n = ${n} for update`);
  return row ? fromRow(row) : null;
}

export const updateEntry = async (
  tx: Transaction,
  { userId, id }: RunKey,
  { n, state, key: _, eventId, isPublished, waits, ...details }: EntryRow,
): Promise<void> => {
  await tx.execute(sql`
    update import_entries set state = ${state}, details = ${JSON.stringify(details)}::jsonb, event_id = ${eventId},
      is_published = ${isPublished}, waits = ${waits}
    where user_id = ${userId} and import_id = ${id} and n = ${n}`);
};

/** Counts the entries anew: after a change of one, and while they are published. */
export async function countEntries(db: Queryable, { userId, id }: RunKey): Promise<Counts> {
  const rows = await db.query<{ state: EntryState; count: number }>(sql`
    select state, count(*)::int as count from import_entries
    where user_id = ${userId} and import_id = ${id} group by state`);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

export const setCounts = async (tx: Transaction, { userId, id }: RunKey, counts: Counts): Promise<void> => {
  await tx.execute(sql`
    update import_runs set counts = ${JSON.stringify(counts)}::jsonb where user_id = ${userId} and id = ${id}`);
};

/** SQL condition: the publication has to come to an entry. Those that wait for the person are left out of an automatic one. */
const isToPublish = ({ isAutomatic }: Run): Statement =>
  isAutomatic ? sql`not is_published and not waits` : sql`not is_published`;

/** The numbers of entries that the publication has not come to yet. */
export async function listUnpublished(db: Queryable, run: Run, limit: number): Promise<number[]> {
  const rows = await db.query<{ n: number }>(sql`
    select n from import_entries where user_id = ${run.userId} and import_id = ${run.id} and ${isToPublish(run)}
    order by n limit ${limit}`);
  return rows.map(({ n }) => n);
}

/** `open`: to publish. `waiting`: for the person. */
export async function countUnpublished(
  db: Queryable,
  run: Run,
): Promise<{ open: number; waiting: number; total: number }> {
  const [row] = await db.query<{ open: number; waiting: number; total: number }>(sql`
    select count(*) filter (where ${isToPublish(run)})::int as open, count(*) filter (where not is_published and waits)::int as waiting,
      count(*)::int as total
    from import_entries where user_id = ${run.userId} and import_id = ${run.id}`);
  return row ?? { open: 0, waiting: 0, total: 0 };
}

/**
 * Stores how far the publication is. What waits for the person in an automatic import is a review from then on.
 * @param dueAt when it goes on; null once it is done
 */
export const setProgress = async (
  db: Queryable,
  { userId, id }: RunKey,
  {
    counts,
    progress,
    dueAt,
    hasReview,
  }: { counts: Counts; progress: number; dueAt: Date | null; hasReview: boolean },
): Promise<void> => {
  const status = dueAt ? 'publishing' : hasReview ? 'review' : 'done';
  await db.execute(sql`
    update import_runs set counts = ${JSON.stringify(counts)}::jsonb, progress = ${status === 'review' ? 0 : progress}, due_at = ${dueAt},
      status = ${status}, is_automatic = is_automatic and ${status !== 'review'}
    where user_id = ${userId} and id = ${id} and status = 'publishing'`);
};

const keptMs = 7 * dayMs;

/** Deletes old imports with their entries. One that still waits for its next day stays, and so does the open review of a source. */
export const deleteOldRuns = async (db: Database, now: Date): Promise<void> => {
  await db.execute(sql`
    delete from import_runs where created_at <= ${new Date(now.getTime() - keptMs)} and status <> 'publishing'
      and (source_id is null or status <> 'review')`);
};
