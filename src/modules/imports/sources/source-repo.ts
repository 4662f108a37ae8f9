/** SQL of the calendars that people follow: table `sources`. */
import { minuteMs } from '#base';
import { type Database, insertValues, type Queryable, type Statement, sql, type Transaction } from '#pg';
import type { Coordinates } from '#record-index';
import type { EntryDefaults } from '../entry-content.ts';
import type { ImportProblem } from '../problem-codes.ts';
import type { Answers } from '../tables/date-order.ts';

/** What a request says of entries that say nothing of it. */
export type ImportDefaults = EntryDefaults & { place: Coordinates | null };

/** `dueAt`: null once it is given up. `readHash`: of the file that needs no more work; null if something remains. */
export type Source = {
  userId: string;
  id: string;
  addressHash: Buffer;
  url: string;
  autoPublish: boolean;
  options: ImportDefaults;
  /** To the questions about its table. */
  answers: Answers;
  createdAt: Date;
  dueAt: Date | null;
  wantedSince: Date;
  refreshedAt: Date | null;
  lastGoodAt: Date | null;
  readHash: Buffer | null;
  readAt: Date | null;
  problem: ImportProblem | null;
  failingSince: Date | null;
  failures: number;
};
export type SourceKey = Pick<Source, 'userId' | 'id'>;

const columns = sql`
  user_id, id, address_hash, url, auto_publish, options, answers, created_at, due_at, wanted_since, refreshed_at, last_good_at, read_hash,
  read_at, problem, failing_since, failures`;
const keyIs = ({ userId, id }: SourceKey): Statement => sql`user_id = ${userId} and id = ${id}`;

export const listSources = (db: Queryable, userId: string): Promise<Source[]> =>
  db.query<Source>(sql`select ${columns} from sources where user_id = ${userId} order by id`);

export async function findSource(db: Queryable, key: SourceKey): Promise<Source | null> {
  const [source] = await db.query<Source>(sql`select ${columns} from sources where ${keyIs(key)}`);
  return source ?? null;
}

export async function lockSource(tx: Transaction, key: SourceKey): Promise<Source | null> {
  const [source] = await tx.query<Source>(sql`select ${columns} from sources where ${keyIs(key)} for update`);
  return source ?? null;
}

export async function lockSourceAt(
  tx: Transaction,
  userId: string,
  addressHash: Buffer,
): Promise<Source | null> {
  const [source] = await tx.query<Source>(sql`
    select ${columns} from sources where user_id = ${userId} and address_hash = ${addressHash} for update`);
  return source ?? null;
}

export type NewSource = Pick<
  Source,
  'userId' | 'id' | 'addressHash' | 'url' | 'autoPublish' | 'options' | 'wantedSince'
>;

export async function insertSource(tx: Transaction, source: NewSource, now: Date): Promise<void> {
  const { userId, id, addressHash, url, autoPublish, options, wantedSince } = source;
  await tx.execute(sql`
    insert into sources ${insertValues({
      ...{ user_id: userId, id, address_hash: addressHash, url, auto_publish: autoPublish },
      ...{ wanted_since: wantedSince, due_at: now, created_at: now },
      options: sql`${JSON.stringify(options)}::jsonb`,
    })}`);
}

/**
 * Makes a source due now, and has its whole file read again. A server that works on it loses it: its lease is
 * the time in `due_at`, which it requires before it writes. One that was given up stays so.
 */
export const makeDue = async (tx: Transaction, key: SourceKey, now: Date): Promise<void> => {
  await tx.execute(
    sql`update sources set due_at = ${now}, read_hash = null where ${keyIs(key)} and due_at is not null`,
  );
};

/** As `makeDue` does, with a new fetch. A source that was given up begins anew. */
export const requestFetch = async (tx: Transaction, key: SourceKey, now: Date): Promise<void> => {
  await tx.execute(sql`
    update sources set due_at = ${now}, read_hash = null, wanted_since = ${now}, refreshed_at = ${now},
      failing_since = null, failures = 0
    where ${keyIs(key)}`);
};

export const setAutoPublish = async (
  tx: Transaction,
  key: SourceKey,
  autoPublish: boolean,
): Promise<void> => {
  await tx.execute(sql`update sources set auto_publish = ${autoPublish} where ${keyIs(key)}`);
};

export const keepAnswers = async (tx: Transaction, key: SourceKey, answers: Answers): Promise<void> => {
  await tx.execute(sql`update sources set answers = ${JSON.stringify(answers)}::jsonb where ${keyIs(key)}`);
};

export const deleteSourceRow = async (tx: Transaction, key: SourceKey): Promise<void> => {
  await tx.execute(sql`delete from sources where ${keyIs(key)}`);
};

/** How many sources a server begins to work on at once. */
const maxDue = 20;

export const listDueSources = (db: Database, now: Date): Promise<SourceKey[]> =>
  db.query<SourceKey>(sql`
    select user_id, id from sources where due_at <= ${now} order by due_at limit ${maxDue}`);

/** How long a source belongs to the server that works on it: longer than a fetch and the reading of the largest file take. */
const leaseMs = 2 * minuteMs;

/** Takes a source that is due. Of several servers, the update of one finds the row as it was. @returns null if another has it */
export async function takeSource(db: Database, key: SourceKey, now: Date): Promise<Source | null> {
  const [source] = await db.query<Source>(sql`
    update sources set due_at = ${new Date(now.getTime() + leaseMs)}
    where ${keyIs(key)} and due_at <= ${now} returning ${columns}`);
  return source ?? null;
}

/** Locks a source that this server has taken. @returns null if it has lost it, or it was deleted */
export async function lockTaken(tx: Transaction, source: Source): Promise<Source | null> {
  const locked = await lockSource(tx, source);
  return locked?.dueAt?.getTime() === source.dueAt?.getTime() ? locked : null;
}

/** Sets when a source that this server has taken is due again. */
export const postponeSource = async (db: Queryable, source: Source, dueAt: Date): Promise<void> => {
  await db.execute(sql`
    update sources set due_at = ${dueAt} where ${keyIs(source)} and due_at = ${source.dueAt}`);
};

/** What a fetch that failed makes of a source. */
export type Failure = Pick<Source, 'problem' | 'failingSince' | 'failures' | 'dueAt'>;

export async function setFailure(tx: Transaction, key: SourceKey, failure: Failure): Promise<void> {
  const { problem, failingSince, failures, dueAt } = failure;
  await tx.execute(sql`
    update sources set problem = ${JSON.stringify(problem)}::jsonb, failing_since = ${failingSince}, failures = ${failures},
      due_at = ${dueAt}, read_hash = null
    where ${keyIs(key)}`);
}

/** What a good fetch makes of a source. */
export type Success = { fetchedAt: Date; readHash: Buffer | null; readAt: Date; dueAt: Date };

export async function setSuccess(
  db: Queryable,
  key: SourceKey,
  { fetchedAt, readHash, readAt, dueAt }: Success,
): Promise<void> {
  await db.execute(sql`
    update sources set problem = null, failing_since = null, failures = 0, last_good_at = ${fetchedAt}, read_hash = ${readHash},
      read_at = ${readAt}, due_at = ${dueAt}
    where ${keyIs(key)}`);
}

/** The keys of the entries of an address in the table `imports`. */
export const keyPrefixOf = (addressHash: Buffer): string =>
  `source:${addressHash.toString('base64url').slice(0, 22)} `;
