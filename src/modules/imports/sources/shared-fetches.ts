/**
 * What addresses answered: table `source_fetches`. All who import or follow an address share one fetch an hour. Rows are keyed by a
 * hash of the address, which is a secret of its owners.
 */
import { createHash } from 'node:crypto';
import { dayMs, minuteMs } from '#base';
import { type Database, empty, type Statement, sql, type Transaction, transaction } from '#pg';
import { CalendarError } from '../calendar-error.ts';
import type { ImportProblemCode } from '../problem-codes.ts';
import { countFetch, sourceBusy } from './count-fetch.ts';
import { fetchSource, SourceBusy, SourceError, type Validators } from './fetch-source.ts';

export type FetchServices = {
  db: Database;
  clock: () => Date;
  config: { importTestOrigin?: string | undefined };
};

/** `since`: how old an answer may be. `problemsSince`: how old a failure may be. */
export type Wanted = { since: Date; problemsSince: Date };

export type Answer = { fetchedAt: Date } & (
  | { problem: null; body: Buffer; type: string; hash: Buffer }
  | { problem: ImportProblemCode; body: null; hash: null }
);
/** `waitUntil`: the address may not be fetched before. */
export type Obtained = Answer | { waitUntil: Date };

/** The same address in other spellings is the same. */
export const hashOfAddress = (url: URL): Buffer => createHash('sha256').update(addressOf(url)).digest();
const addressOf = ({ href, hash }: URL): string => (hash === '' ? href : href.slice(0, -hash.length));

type Row = Validators & {
  fetchedAt: Date | null;
  problem: ImportProblemCode | null;
  hasBody: boolean;
  notBefore: Date | null;
  reservedUntil: Date | null;
  leasedUntil: Date | null;
};

/** Locks the row of an address, and inserts it first if there is none. */
async function lockFetch(tx: Transaction, hash: Buffer, now: Date): Promise<Row> {
  await tx.execute(sql`
    insert into source_fetches (address_hash, used_at) values (${hash}, ${now})
    on conflict (address_hash) do update set used_at = excluded.used_at`);
  const [row] = await tx.query<Row>(sql`
    select fetched_at, problem, body is not null as has_body, etag, last_modified, not_before, reserved_until, leased_until
    from source_fetches where address_hash = ${hash} for update`);
  if (!row) throw new Error('the row of an address was not inserted');
  return row;
}

const isUsable = ({ fetchedAt, problem, hasBody }: Row, { since, problemsSince }: Wanted): boolean =>
  fetchedAt !== null && (problem === null ? hasBody && fetchedAt >= since : fetchedAt >= problemsSince);

const isLater = (time: Date | null, now: Date): time is Date => time !== null && time > now;

/** A person who waits for a fetch has it counted at the request. */
const reservedMs = minuteMs;

/**
 * Counts the fetch that a person asks for, unless there is an answer that is new enough, or another request fetches the address already.
 * Of two requests at once, the second waits for the row and finds the fetch counted.
 * @throws Problem `source_busy`
 */
export async function reserveFetch(services: FetchServices, url: URL, wanted: Wanted): Promise<void> {
  const now = services.clock();
  const hash = hashOfAddress(url);
  await transaction(services.db, async (tx) => {
    const row = await lockFetch(tx, hash, now);
    if (isUsable(row, wanted) || isLater(row.leasedUntil, now) || isLater(row.reservedUntil, now)) return;
    const busyUntil = await countFetch(tx, url, { now, testOrigin: services.config.importTestOrigin });
    if (busyUntil) throw sourceBusy(busyUntil, now);
    const until = new Date(now.getTime() + reservedMs);
    await tx.execute(sql`update source_fetches set reserved_until = ${until} where address_hash = ${hash}`);
  });
}

/** How long an address belongs to the server that fetches it: longer than a fetch takes. */
const leaseMs = minuteMs;
/** When to look again whether another server has fetched an address. */
const retryMs = 500;

/**
 * Returns what an address answered, and fetches it if no answer is new enough. Right on any number of servers: the lease of the row
 * lets one server fetch, and the others wait for what it stores; if that server ends, the lease ends.
 */
export async function obtainFile(services: FetchServices, url: URL, wanted: Wanted): Promise<Obtained> {
  const hash = hashOfAddress(url);
  const now = services.clock();
  const leasedUntil = new Date(now.getTime() + leaseMs);
  const next = await transaction(services.db, async (tx) => {
    const row = await lockFetch(tx, hash, now);
    if (isUsable(row, wanted)) return 'stored';
    if (isLater(row.notBefore, now)) return row.notBefore;
    if (isLater(row.leasedUntil, now)) return new Date(now.getTime() + retryMs);
    if (!isLater(row.reservedUntil, now)) {
      const busyUntil = await countFetch(tx, url, { now, testOrigin: services.config.importTestOrigin });
      if (busyUntil) return busyUntil;
    }
    await tx.execute(sql`
      update source_fetches set leased_until = ${leasedUntil}, reserved_until = null where address_hash = ${hash}`);
    return row;
  });
  if (next === 'stored') return await readAnswer(services, hash);
  if (next instanceof Date) return { waitUntil: next };
  return await fetchFor(services, url, { hash, leasedUntil, row: next });
}

type Lease = { hash: Buffer; leasedUntil: Date; row: Row };

async function fetchFor(services: FetchServices, url: URL, lease: Lease): Promise<Obtained> {
  const { clock, db, config } = services;
  const { hash, row } = lease;
  const testOrigin = config.importTestOrigin;
  try {
    const { body, type, etag, lastModified } = await fetchSource(url, {
      testOrigin,
      known: row.hasBody && (row.etag || row.lastModified) ? row : undefined,
      countHost: (next) => countFetch(db, next, { now: clock(), testOrigin }),
    });
    const validators = sql`etag = ${etag}, last_modified = ${lastModified}`;
    const file = body
      ? sql`, body = ${body}, media_type = ${type.slice(0, 100)}, body_hash = ${createHash('sha256').update(body).digest()}`
      : empty;
    await store(services, lease, sql`problem = null, ${validators}${file}, not_before = null`);
  } catch (error) {
    if (error instanceof SourceBusy) {
      await db.execute(sql`update source_fetches set leased_until = null where address_hash = ${hash}`);
      return { waitUntil: error.until };
    }
    const isKnown = error instanceof SourceError || error instanceof CalendarError;
    if (!isKnown) throw error;
    const code = error instanceof CalendarError ? error.code : 'source_unreachable';
    const notBefore = error instanceof SourceError ? readRetryAfter(error.retryAfter, clock()) : null;
    // The file that is known stays: the host may say later that it has not changed.
    await store(services, lease, sql`problem = ${code}, not_before = ${notBefore}`);
  }
  return await readAnswer(services, hash);
}

/** Stores the result of a fetch, unless another server has taken the address over. */
async function store(
  { db, clock }: FetchServices,
  { hash, leasedUntil }: Lease,
  result: Statement,
): Promise<void> {
  await db.execute(sql`
    update source_fetches set ${result}, fetched_at = ${clock()}, leased_until = null
    where address_hash = ${hash} and leased_until = ${leasedUntil}`);
}

async function readAnswer({ db, clock }: FetchServices, hash: Buffer): Promise<Obtained> {
  const [row] = await db.query<{
    fetchedAt: Date | null;
    problem: ImportProblemCode | null;
    body: Buffer | null;
    bodyHash: Buffer | null;
    type: string | null;
  }>(sql`
    select fetched_at, problem, case when problem is null then body end as body, body_hash, media_type as type
    from source_fetches where address_hash = ${hash}`);
  if (!row?.fetchedAt) return { waitUntil: new Date(clock().getTime() + retryMs) };
  const { fetchedAt, problem, body, bodyHash, type } = row;
  if (problem === null && body && bodyHash)
    return { fetchedAt, problem: null, body, type: type ?? '', hash: bodyHash };
  return { fetchedAt, problem: problem ?? 'source_unreachable', body: null, hash: null };
}

/** Seconds, or a time (RFC 9110, section 10.2.3), of which a day is kept to. Null for anything else. */
export function readRetryAfter(value: string | undefined, now: Date): Date | null {
  if (value === undefined || value.length > 100) return null;
  const until = /^\d{1,10}$/.test(value) ? now.getTime() + Number(value) * 1_000 : Date.parse(value);
  if (Number.isNaN(until) || until <= now.getTime()) return null;
  return new Date(Math.min(until, now.getTime() + dayMs));
}

/** Longer than sources wait at most. */
const keptMs = 2 * dayMs;

/** Deletes the answers that were not used for two days. */
export const deleteUnusedFetches = async (db: Database, now: Date): Promise<void> => {
  await db.execute(sql`delete from source_fetches where used_at < ${new Date(now.getTime() - keptMs)}`);
};

/** Deletes what the address answered, once no person follows it. */
export async function forgetAddress(db: Database, hash: Buffer): Promise<void> {
  const followers = await db.query(sql`select 1 from sources where address_hash = ${hash} limit 1`);
  if (followers.length === 0) await db.execute(sql`delete from source_fetches where address_hash = ${hash}`);
}
