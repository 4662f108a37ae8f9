/** SQL of the imports that a source has: its open review, and what it publishes by itself. */
import { newId } from '#base';
import { type Queryable, type Statement, sql, type Transaction } from '#pg';
import { maxEntries } from '../file-bytes.ts';
import type { EntryRow, Run } from '../runs/repo.ts';
import {
  countEntries,
  findRun,
  insertEntries,
  insertRun,
  listEntries,
  lockRun,
  type NewEntry,
  setCounts,
} from '../runs/repo.ts';
import type { Source, SourceKey } from './source-repo.ts';

const openOf = ({ userId, id }: SourceKey): Statement => sql`
  user_id = ${userId} and source_id = ${id} and status in ('reading', 'review', 'publishing')`;

/** Locks the imports of a source that are not done, in the order of their ids. The transaction must hold the lock of the source. */
export async function lockOpenRuns(tx: Transaction, source: SourceKey): Promise<Run[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from import_runs where ${openOf(source)} order by id`);
  const runs: Run[] = [];
  for (const { id } of rows) {
    const run = await lockRun(tx, { userId: source.userId, id });
    if (run) runs.push(run);
  }
  return runs;
}

export async function findOpenRun(tx: Transaction, source: SourceKey): Promise<Run | null> {
  const [row] = await tx.query<{ id: string }>(sql`
    select id from import_runs where ${openOf(source)}
    order by array_position(array['reading', 'review', 'publishing'], status), id limit 1`);
  return row ? await findRun(tx, { userId: source.userId, id: row.id }) : null;
}

/** The open review of each source of a person. */
export async function listReviews(db: Queryable, userId: string): Promise<Map<string, string>> {
  const rows = await db.query<{ sourceId: string; id: string }>(sql`
    select source_id, id from import_runs
    where user_id = ${userId} and source_id is not null and status = 'review'`);
  return new Map(rows.map(({ sourceId, id }) => [sourceId, id]));
}

/** Deletes what waits of a source. What the person is publishing goes on. */
export const deleteOpenRuns = async (tx: Transaction, source: SourceKey): Promise<void> => {
  for (const { userId, id, status, isAutomatic } of await lockOpenRuns(tx, source))
    if (status !== 'publishing' || isAutomatic)
      await tx.execute(sql`delete from import_runs where user_id = ${userId} and id = ${id}`);
};

/** Makes an import of a source. @param status `reading`: its first fetch is due */
export async function insertSourceRun(
  tx: Transaction,
  { userId, id: sourceId, options, addressHash }: Pick<Source, 'userId' | 'id' | 'options' | 'addressHash'>,
  { status, isAutomatic = false }: { status: 'reading' | 'review' | 'publishing'; isAutomatic?: boolean },
  now: Date,
): Promise<Run> {
  const key = { userId, id: newId() };
  const dueAt = status === 'publishing' ? now : null;
  await insertRun(tx, {
    ...key,
    media: 'url',
    options,
    addressHash,
    status,
    sourceId,
    isAutomatic,
    dueAt,
    now,
  });
  const run = await findRun(tx, key);
  if (!run) throw new Error('the import was not inserted');
  return run;
}

type State = { status: 'review' | 'publishing' | 'done'; isAutomatic?: boolean; dueAt?: Date | null };

/** Sets the state of a locked import, whose file could be read without a question, and counts its entries. */
export async function setState(
  tx: Transaction,
  run: Run,
  { status, isAutomatic = false, dueAt = null }: State,
): Promise<void> {
  const progress = status === 'done' ? 1 : 0;
  await tx.execute(sql`
    update import_runs set status = ${status}, is_automatic = ${isAutomatic}, due_at = ${dueAt}, progress = ${progress}, url = null,
      questions = '[]'
    where user_id = ${run.userId} and id = ${run.id}`);
  await setCounts(tx, run, await countEntries(tx, run));
}

/** The entries of a locked import that are not published. */
export const listOpenEntries = async (tx: Transaction, run: Run): Promise<EntryRow[]> =>
  (await listEntries(tx, run, { state: undefined, after: 0, limit: 2 * maxEntries })).filter(
    ({ isPublished }) => !isPublished,
  );

export async function deleteEntries(tx: Transaction, run: Run, numbers: number[]): Promise<void> {
  if (numbers.length === 0) return;
  await tx.execute(sql`
    delete from import_entries
    where user_id = ${run.userId} and import_id = ${run.id} and n = any(${numbers}::int[])`);
}

/** Adds entries behind those of a locked import. */
export async function addEntries(tx: Transaction, run: Run, entries: NewEntry[]): Promise<void> {
  const [row] = await tx.query<{ last: number }>(sql`
    select coalesce(max(n), 0)::int as last from import_entries where user_id = ${run.userId} and import_id = ${run.id}`);
  await insertEntries(tx, run, entries, (row?.last ?? 0) + 1);
}
