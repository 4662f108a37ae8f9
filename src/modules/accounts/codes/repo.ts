/** One-time codes, the wrong tries, and the daily counts of messages. */
import { dayMs, newIdAt, utcDay } from '#base';
import { type Database, sql, type Transaction, transaction } from '#pg';
import type { CodePurpose } from '../../../lib/contact.ts';
import { type CodeUse, contactScope, strangersScope } from './hashes.ts';
import type { Requester, Trust } from './requesters.ts';
import type { Try } from './try-limits.ts';

/** Returns the time of the last code that a requester of this trust was sent, for any purpose; null if there is none. */
export async function findLastSend(tx: Transaction, contactHash: Buffer, trust: Trust): Promise<Date | null> {
  // A code whose expiry equals its time of sending was withdrawn.
  const [row] = await tx.query<{ sentAt: Date }>(sql`
    select sent_at from codes where contact_hash = ${contactHash} and trust = ${trust} and expires_at > sent_at
    order by sent_at desc limit 1`);
  return row?.sentAt ?? null;
}

/**
 * Counts a message, or something that a client fails to prove, in each scope. The rows stay locked until the transaction ends, so
 * the counts of concurrent messages differ; the caller rolls back if a message exceeds a limit.
 * @returns the count of a scope in this day, with the message
 */
export async function countSend(
  tx: Transaction,
  scopes: string[],
  now: Date,
): Promise<(scope: string) => number> {
  // Sorted: the order in which the rows are locked.
  const sorted = scopes.toSorted();
  const rows = await tx.query<{ scope: string; sent: number }>(sql`
    insert into code_sends (scope, day, sent)
    select scope, ${utcDay(now)}::date, 1 from unnest(${sorted}::text[]) scope
    on conflict (scope, day) do update set sent = code_sends.sent + 1
    returning scope, sent`);
  const counts = new Map(rows.map(({ scope, sent }) => [scope, sent]));
  return (scope) => counts.get(scope) ?? 0;
}

/** Subtracts a message from the counts of its day. Locks the rows in the order in which `countSend` locks them. */
export async function subtractSend(tx: Transaction, scopes: string[], sentAt: Date): Promise<void> {
  await tx.query(sql`
    update code_sends set sent = sent - 1
    where day = ${utcDay(sentAt)} and sent > 0 and scope in (
      select scope from code_sends where day = ${utcDay(sentAt)} and scope = any(${scopes}::text[])
      order by scope collate "C" for update)`);
}

/** The scope of text messages that are no codes, which therefore take no room of codes. */
const noticesScope = 'notices';

/**
 * Counts a text message that is no code. One row is updated, so all servers together count no more than `perDay`.
 * @returns false if it may not be sent today (UTC)
 */
export async function countNotice(db: Database, perDay: number, now: Date): Promise<boolean> {
  if (perDay === 0) return false;
  const counted = await db.query(sql`
    insert into code_sends (scope, day, sent) values (${noticesScope}, ${utcDay(now)}, 1)
    on conflict (scope, day) do update set sent = code_sends.sent + 1 where code_sends.sent < ${perDay}
    returning sent`);
  return counted.length > 0;
}

/** Takes back the count of a text message that was not sent. */
export const uncountNotice = (db: Database, countedAt: Date): Promise<void> =>
  transaction(db, (tx) => subtractSend(tx, [noticesScope], countedAt));

export type NewCode = CodeUse & {
  contactHash: Buffer;
  requester: Requester;
  codeHash: Buffer;
  sentAt: Date;
  expiresAt: Date;
};

/** Stores a code in place of the requester's previous code for the same contact and purpose. */
export async function insertCode(tx: Transaction, code: NewCode): Promise<void> {
  const { id, trust } = code.requester;
  await tx.query(sql`
    insert into codes (contact_hash, purpose, requester, trust, code_hash, sent_at, expires_at, event_id)
    values (${code.contactHash}, ${code.purpose}, ${id}, ${trust}, ${code.codeHash}, ${code.sentAt}, ${code.expiresAt},
      ${code.eventId ?? null})
    on conflict (contact_hash, purpose, requester) do update
    set trust = excluded.trust, code_hash = excluded.code_hash, sent_at = excluded.sent_at, expires_at = excluded.expires_at`);
}

/** Withdraws a code whose message could not be sent. The condition spares a newer code of the requester. */
export async function withdrawCode(
  tx: Transaction,
  { contactHash, purpose, requester, sentAt }: NewCode,
): Promise<void> {
  await tx.query(sql`
    update codes set code_hash = null, expires_at = sent_at
    where contact_hash = ${contactHash} and purpose = ${purpose} and requester = ${requester.id} and sent_at = ${sentAt}`);
}

/** `codeHash`: null after the code was used or withdrawn. */
export type CodeRow = { requester: Buffer; codeHash: Buffer | null; expiresAt: Date };

/** The newest code of each requester, most recently sent first. */
export const listCodes = (
  tx: Transaction,
  contactHash: Buffer,
  { purpose, eventId }: CodeUse,
): Promise<CodeRow[]> =>
  tx.query<CodeRow>(sql`
    select requester, code_hash, expires_at from codes
    where contact_hash = ${contactHash} and purpose = ${purpose} and event_id is not distinct from ${eventId ?? null}::uuid
    order by sent_at desc, requester`);

/** Of the contacts, the one that a code with the purpose was sent to last; undefined if none was. */
export async function findLastAsked(
  tx: Transaction,
  contactHashes: Buffer[],
  purpose: CodePurpose,
): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ contactHash: Buffer }>(sql`
    select contact_hash from codes where contact_hash = any(${contactHashes}::bytea[]) and purpose = ${purpose}
    order by sent_at desc, contact_hash limit 1`);
  return row?.contactHash;
}

/** The wrong tries for a contact in the last 24 hours, oldest first. */
export const listTries = (tx: Transaction, contactHash: Buffer, now: Date): Promise<Try[]> =>
  tx.query<Try>(sql`
    select purpose, requester, budget, at from code_tries
    where contact_hash = ${contactHash} and at > ${new Date(now.getTime() - dayMs)} order by at, id`);

export async function insertTry(tx: Transaction, contactHash: Buffer, wrong: Try): Promise<void> {
  await tx.query(sql`
    insert into code_tries (contact_hash, id, purpose, requester, budget, at)
    values (${contactHash}, ${newIdAt(wrong.at)}, ${wrong.purpose}, ${wrong.requester}, ${wrong.budget}, ${wrong.at})`);
}

/** Marks the code of a requester as used. */
export async function useCode(
  tx: Transaction,
  contactHash: Buffer,
  purpose: CodePurpose,
  requester: Buffer,
): Promise<void> {
  await tx.query(sql`
    update codes set code_hash = null
    where contact_hash = ${contactHash} and purpose = ${purpose} and requester = ${requester}`);
}

/** Deletes all that a contact leaves behind. The transaction must hold the contact's lock. */
export async function deleteCodesOf(tx: Transaction, contactHash: Buffer): Promise<void> {
  await tx.query(sql`delete from codes where contact_hash = ${contactHash}`);
  await tx.query(sql`delete from code_tries where contact_hash = ${contactHash}`);
  const scopes = [contactScope(contactHash), strangersScope(contactHash)];
  await tx.query(sql`delete from code_sends where scope = any(${scopes})`);
  await tx.query(sql`delete from known_networks where contact_hash = ${contactHash}`);
}

/** Deletes codes and tries after a day, and the counts of earlier days. */
export async function deleteExpiredCodes(db: Database, now: Date): Promise<void> {
  await db.query(sql`delete from codes where sent_at < ${now}::timestamptz - interval '1 day'`);
  await db.query(sql`delete from code_tries where at < ${now}::timestamptz - interval '1 day'`);
  await db.query(sql`delete from code_sends where day < ${utcDay(now)}`);
}
