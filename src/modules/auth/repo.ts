import { recordChange } from '../../cache/change-log.ts';
import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Viewer } from '../../identity/caller.ts';
import { sessionKey } from '../../identity/sessions.ts';
import type { Token, TokenIds, TokenPair } from '../../identity/tokens.ts';
import type { Purpose } from './codes.ts';
// Sessions

export type SessionTimes = { now: Date; accessExpiresAt: Date; refreshExpiresAt: Date };

export async function insertSession(
  tx: Transaction,
  ids: TokenIds,
  pair: TokenPair,
  times: SessionTimes & { endsAt: Date; userAgent: string },
): Promise<void> {
  await tx.query(sql`
    insert into sessions (user_id, id, access_hash, refresh_hash, spent_hash, refreshed_at, access_expires_at,
      refresh_expires_at, ends_at, created_at, user_agent)
    values (${ids.userId}, ${ids.sessionId}, ${pair.accessHash}, ${pair.refreshHash}, null, ${times.now},
      ${times.accessExpiresAt}, ${times.refreshExpiresAt}, ${times.endsAt}, ${times.now}, ${times.userAgent})`);
}

export type SessionRow = {
  refreshHash: Buffer;
  spentHash: Buffer | null;
  refreshedAt: Date;
  accessExpiresAt: Date;
  refreshExpiresAt: Date;
  endsAt: Date;
};

/** Locks the session: of twenty refreshes at once one rotates, and the others find it rotated. */
export async function findSessionForUpdate(tx: Transaction, ids: TokenIds): Promise<SessionRow | null> {
  const [row] = await tx.query<SessionRow>(sql`
    select refresh_hash, spent_hash, refreshed_at, access_expires_at, refresh_expires_at, ends_at
    from sessions where user_id = ${ids.userId} and id = ${ids.sessionId} for update`);
  return row ?? null;
}

export async function rotateSession(
  tx: Transaction,
  spent: Token,
  pair: TokenPair,
  times: SessionTimes,
): Promise<void> {
  await tx.query(sql`
    update sessions set access_hash = ${pair.accessHash}, refresh_hash = ${pair.refreshHash},
      spent_hash = ${spent.hash}, refreshed_at = ${times.now}, access_expires_at = ${times.accessExpiresAt},
      refresh_expires_at = ${times.refreshExpiresAt}
    where user_id = ${spent.userId} and id = ${spent.sessionId}`);
  await recordChange(tx, { records: [sessionKey(spent)] });
}

/** True when there was one. Waits for writes under way in the session's name, which hold a share lock on it. */
export async function deleteSession(tx: Transaction, ids: TokenIds): Promise<boolean> {
  const count = await tx.execute(
    sql`delete from sessions where user_id = ${ids.userId} and id = ${ids.sessionId}`,
  );
  if (count > 0) await recordChange(tx, { records: [sessionKey(ids)] });
  return count > 0;
}

/** The keys of all of a person's sessions; the transaction holds the person's row `for update`, so none is added. */
export async function listSessionKeys(tx: Transaction, userId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`select id from sessions where user_id = ${userId}`);
  return rows.map(({ id }) => sessionKey({ userId, sessionId: id }));
}

/** Counts from the person's next request on, on every server. */
export async function setRole(tx: Transaction, userId: string, role: Viewer['role']): Promise<void> {
  await tx.query(sql`select 1 from users where id = ${userId} for update`);
  await tx.query(sql`update users set role = ${role} where id = ${userId}`);
  await recordChange(tx, { records: await listSessionKeys(tx, userId) });
}

export type SessionListRow = {
  id: string;
  createdAt: Date;
  refreshedAt: Date;
  refreshExpiresAt: Date;
  userAgent: string;
};

export async function listSessions(db: Database, userId: string, now: Date): Promise<SessionListRow[]> {
  return await db.query<SessionListRow>(sql`
    select id, created_at, refreshed_at, refresh_expires_at, user_agent from sessions
    where user_id = ${userId} and refresh_expires_at > ${now}
    order by refreshed_at desc, id`);
}

// Codes

/** When the last code of any purpose went to the number; locks the number's rows, making one if there is none. */
export async function lastSentAt(tx: Transaction, phoneHash: Buffer, now: Date): Promise<Date | null> {
  await lockCode(tx, phoneHash, 'sign_in', now);
  const rows = await tx.query<{ sentAt: Date; sent: boolean }>(sql`
    select sent_at, expires_at > sent_at as sent from codes where phone_hash = ${phoneHash}
    order by purpose for update`);
  const sent = rows.filter((row) => row.sent).map((row) => row.sentAt.getTime());
  return sent.length > 0 ? new Date(Math.max(...sent)) : null;
}

/** A row without a code, so that there is one to lock and to count tries on. */
async function lockCode(tx: Transaction, phoneHash: Buffer, purpose: Purpose, now: Date): Promise<void> {
  await tx.query(sql`
    insert into codes (phone_hash, purpose, code_hash, sent_at, expires_at, tries)
    values (${phoneHash}, ${purpose}, null, ${now}, ${now}, '{}')
    on conflict do nothing`);
}

export type SendCap = [scope: string, maxInADay: number];

/** Counts a message against each cap that is not yet reached; gives how many those were. Keys must come sorted. */
export async function countSends(tx: Transaction, caps: SendCap[], now: Date): Promise<number> {
  const day = now.toISOString().slice(0, 10);
  const scopes = caps.map(([scope]) => scope);
  const limits = caps.map(([, limit]) => limit);
  // The conflicting row is locked before its guard is read, so a cap holds however many send at once.
  const count = await tx.execute(sql`
    insert into code_sends (scope, day, sent)
    select scope, ${day}::date, 1 from unnest(${scopes}::text[]) scope
    on conflict (scope, day) do update set sent = code_sends.sent + 1
    where code_sends.sent < (${limits}::int[])[array_position(${scopes}::text[], code_sends.scope)]`);
  return count;
}

export async function insertCode(
  tx: Transaction,
  code: { phoneHash: Buffer; purpose: Purpose; codeHash: Buffer; sentAt: Date; expiresAt: Date },
): Promise<void> {
  await tx.query(sql`
    insert into codes (phone_hash, purpose, code_hash, sent_at, expires_at, tries)
    values (${code.phoneHash}, ${code.purpose}, ${code.codeHash}, ${code.sentAt}, ${code.expiresAt}, '{}')
    on conflict (phone_hash, purpose) do update
    set code_hash = excluded.code_hash, sent_at = excluded.sent_at, expires_at = excluded.expires_at`);
}

/** Takes back a code whose message could not be sent, and what was counted for it. */
export async function withdrawCode(
  tx: Transaction,
  phoneHash: Buffer,
  purpose: Purpose,
  caps: SendCap[],
  sentAt: Date,
): Promise<void> {
  // A code that ends when it was sent is one that never was; a newer one is left alone.
  await tx.query(sql`
    update codes set code_hash = null, expires_at = sent_at
    where phone_hash = ${phoneHash} and purpose = ${purpose} and sent_at = ${sentAt}`);
  await tx.query(sql`
    update code_sends set sent = sent - 1
    where day = ${sentAt.toISOString().slice(0, 10)} and scope = any(${caps.map(([scope]) => scope)}) and sent > 0`);
}

export type CodeRow = { codeHash: Buffer | null; expiresAt: Date; tries: Date[] };

/** Locks the row of (number, purpose): guesses queue up here. Null where no code was asked for: nothing to guess. */
export async function findCodeForUpdate(
  tx: Transaction,
  phoneHash: Buffer,
  purpose: Purpose,
): Promise<CodeRow | null> {
  const [row] = await tx.query<CodeRow>(sql`
    select code_hash, expires_at, tries from codes
    where phone_hash = ${phoneHash} and purpose = ${purpose} for update`);
  return row ?? null;
}

export async function updateTries(
  tx: Transaction,
  phoneHash: Buffer,
  purpose: Purpose,
  tries: Date[],
): Promise<void> {
  await tx.query(sql`
    update codes set tries = ${tries.map((at) => at.toISOString())}::timestamptz[]
    where phone_hash = ${phoneHash} and purpose = ${purpose}`);
}

export async function useCode(tx: Transaction, phoneHash: Buffer, purpose: Purpose): Promise<void> {
  await tx.query(
    sql`update codes set code_hash = null where phone_hash = ${phoneHash} and purpose = ${purpose}`,
  );
}

/** What nobody can use any more: ended sessions, codes and counts of earlier days. */
export async function deleteExpired(db: Database, now: Date): Promise<void> {
  await db.query(sql`delete from sessions where refresh_expires_at <= ${now}`);
  await db.query(sql`delete from codes where sent_at < ${now}::timestamptz - interval '1 day'`);
  await db.query(sql`delete from code_sends where day < ${now.toISOString().slice(0, 10)}`);
}
