/** One-time codes and the daily counts of their messages. */
import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { CodePurpose } from './code-hashes.ts';

/**
 * Locks the number's rows, and inserts one if there is none. The rows are read by a later statement: another request, whose
 * lock this one has waited for, may have inserted the row of another purpose.
 * @returns the time of the last code of any purpose; null if no code was sent
 */
export async function findLastSend(tx: Transaction, phoneHash: Buffer, now: Date): Promise<Date | null> {
  let locked: object[] = [];
  // Again if the row was there, and then deleted because it had expired.
  while (locked.length === 0) {
    await insertRowToLock(tx, phoneHash, now);
    locked = await tx.query(
      sql`select 1 from codes where phone_hash = ${phoneHash} order by purpose for update`,
    );
  }
  const rows = await tx.query<{ sentAt: Date; sent: boolean }>(sql`
    select sent_at, expires_at > sent_at as sent from codes where phone_hash = ${phoneHash}`);
  const sent = rows.filter((row) => row.sent).map((row) => row.sentAt.getTime());
  return sent.length > 0 ? new Date(Math.max(...sent)) : null;
}

/** Inserts a row without a code. */
async function insertRowToLock(tx: Transaction, phoneHash: Buffer, now: Date): Promise<void> {
  const purpose: CodePurpose = 'sign_in';
  await tx.query(sql`
    insert into codes (phone_hash, purpose, code_hash, sent_at, expires_at, tries)
    values (${phoneHash}, ${purpose}, null, ${now}, ${now}, '{}')
    on conflict do nothing`);
}

export type SendLimit = [scope: string, maxPerDay: number];

const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

/**
 * Counts a message against each limit that is not reached.
 * @param limits sorted by scope
 * @returns how many limits were not reached
 */
export async function countSends(tx: Transaction, limits: SendLimit[], now: Date): Promise<number> {
  const scopes = limits.map(([scope]) => scope);
  const maxima = limits.map(([, maxPerDay]) => maxPerDay);
  // The statement locks the conflicting row before it evaluates the condition, so concurrent sends respect
  // the limit.
  return await tx.execute(sql`
    insert into code_sends (scope, day, sent)
    select scope, ${dayOf(now)}::date, 1 from unnest(${scopes}::text[]) scope
    on conflict (scope, day) do update set sent = code_sends.sent + 1
    where code_sends.sent < (${maxima}::int[])[array_position(${scopes}::text[], code_sends.scope)]`);
}

/** Stores a code in place of the previous code of the same number and purpose. */
export async function insertCode(
  tx: Transaction,
  code: { phoneHash: Buffer; purpose: CodePurpose; codeHash: Buffer; sentAt: Date; expiresAt: Date },
): Promise<void> {
  await tx.query(sql`
    insert into codes (phone_hash, purpose, code_hash, sent_at, expires_at, tries)
    values (${code.phoneHash}, ${code.purpose}, ${code.codeHash}, ${code.sentAt}, ${code.expiresAt}, '{}')
    on conflict (phone_hash, purpose) do update
    set code_hash = excluded.code_hash, sent_at = excluded.sent_at, expires_at = excluded.expires_at`);
}

/** Withdraws a code whose message could not be sent, and subtracts the message from the daily counts. */
export async function withdrawCode(
  tx: Transaction,
  phoneHash: Buffer,
  purpose: CodePurpose,
  limits: SendLimit[],
  sentAt: Date,
): Promise<void> {
  // A code whose expiry equals its time of sending counts as never sent. The condition spares a newer code.
  await tx.query(sql`
    update codes set code_hash = null, expires_at = sent_at
    where phone_hash = ${phoneHash} and purpose = ${purpose} and sent_at = ${sentAt}`);
  await tx.query(sql`
    update code_sends set sent = sent - 1
    where day = ${dayOf(sentAt)} and scope = any(${limits.map(([scope]) => scope)}) and sent > 0`);
}

/** `codeHash`: null after the code was used or withdrawn. `tries`: when wrong codes were tried. */
type CodeRow = { codeHash: Buffer | null; expiresAt: Date; tries: Date[] };

/**
 * Locks the row of a number and purpose, so concurrent tries run one after the other. Null if no code was
 * requested.
 */
export async function findCodeForUpdate(
  tx: Transaction,
  phoneHash: Buffer,
  purpose: CodePurpose,
): Promise<CodeRow | null> {
  const [row] = await tx.query<CodeRow>(sql`
    select code_hash, expires_at, tries from codes
    where phone_hash = ${phoneHash} and purpose = ${purpose} for update`);
  return row ?? null;
}

export async function updateTries(
  tx: Transaction,
  phoneHash: Buffer,
  purpose: CodePurpose,
  tries: Date[],
): Promise<void> {
  await tx.query(sql`
    update codes set tries = ${tries.map((at) => at.toISOString())}::timestamptz[]
    where phone_hash = ${phoneHash} and purpose = ${purpose}`);
}

/** Marks the code as used. */
export async function useCode(tx: Transaction, phoneHash: Buffer, purpose: CodePurpose): Promise<void> {
  await tx.query(
    sql`update codes set code_hash = null where phone_hash = ${phoneHash} and purpose = ${purpose}`,
  );
}

/** Deletes codes a day after they were sent, and the counts of earlier days. */
export async function deleteExpiredCodes(db: Database, now: Date): Promise<void> {
  await db.query(sql`delete from codes where sent_at < ${now}::timestamptz - interval '1 day'`);
  await db.query(sql`delete from code_sends where day < ${dayOf(now)}`);
}
