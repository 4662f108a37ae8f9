/** Sessions, and the roles that they carry in the session cache. */
import { recordChange } from '#fresh-records';
import { type Database, sql, type Transaction, transaction, update } from '#pg';
import type { Caller, Viewer } from '../../../identity/caller.ts';
import { changedSessions, sessionKey } from '../../../identity/sessions.ts';
import type { Token, TokenIds, TokenPair } from '../../../identity/tokens.ts';
import { updateRole } from '../accounts.ts';

export type SessionTimes = { now: Date; accessExpiresAt: Date; refreshExpiresAt: Date };

export async function insertSession(
  tx: Transaction,
  ids: TokenIds,
  hashes: { accessHash: Buffer; refreshHash: Buffer | null },
  times: SessionTimes & { endsAt: Date; userAgent: string; eventId?: string },
): Promise<void> {
  await tx.query(sql`
    insert into sessions (user_id, id, access_hash, refresh_hash, spent_hash, refreshed_at, access_expires_at,
      refresh_expires_at, ends_at, created_at, user_agent, event_id)
    values (${ids.userId}, ${ids.sessionId}, ${hashes.accessHash}, ${hashes.refreshHash}, null, ${times.now},
      ${times.accessExpiresAt}, ${times.refreshExpiresAt}, ${times.endsAt}, ${times.now}, ${times.userAgent},
      ${times.eventId ?? null})`);
}

/**
 * `refreshHash`: null for a browser session. `spentHash`: the hash of the refresh token that the last refresh
 * used; null before the first refresh.
 */
type SessionRow = {
  refreshHash: Buffer | null;
  spentHash: Buffer | null;
  refreshedAt: Date;
  accessExpiresAt: Date;
  refreshExpiresAt: Date;
  endsAt: Date;
  /** Whether the account is suspended. */
  isSuspended: boolean;
};

/** How long after the sign-in a session proves that its owner has just signed in. */
const freshMs = 10 * 60_000;

/** Whether the session of the caller began in the last ten minutes. */
export async function isFreshSession(
  tx: Transaction,
  { id: userId, sessionId }: Caller,
  now: Date,
): Promise<boolean> {
  const fresh = await tx.query(sql`
    select 1 from sessions
    where user_id = ${userId} and id = ${sessionId} and created_at > ${new Date(now.getTime() - freshMs)}`);
  return fresh.length > 0;
}

/**
 * Locks the session: of twenty concurrent refreshes one rotates the tokens, and the others read the new row.
 */
export async function findSessionForUpdate(tx: Transaction, ids: TokenIds): Promise<SessionRow | null> {
  const [row] = await tx.query<SessionRow>(sql`
    select refresh_hash, spent_hash, refreshed_at, access_expires_at, refresh_expires_at, ends_at,
      (select suspended_at is not null from users where id = ${ids.userId}) as is_suspended
    from sessions where user_id = ${ids.userId} and id = ${ids.sessionId} for update`);
  return row ?? null;
}

/** Replaces both tokens of the session of `spent`. */
export async function rotateSession(
  tx: Transaction,
  spent: Token,
  pair: TokenPair,
  times: SessionTimes,
): Promise<void> {
  await tx.query(sql`
    ${update(
      'sessions',
      sql`access_hash = ${pair.accessHash}, refresh_hash = ${pair.refreshHash}, spent_hash = ${spent.hash},
        refreshed_at = ${times.now}, access_expires_at = ${times.accessExpiresAt},
        refresh_expires_at = ${times.refreshExpiresAt}`,
    )}
    where user_id = ${spent.userId} and id = ${spent.sessionId}`);
  await recordChange(tx, { records: [changedSessions([sessionKey(spent)])] });
}

/**
 * Deletes a session. Waits for writes of the session that are in progress, because they hold a share lock on
 * it.
 * @returns whether the session existed
 */
export async function deleteSession(tx: Transaction, ids: TokenIds): Promise<boolean> {
  const count = await tx.execute(
    sql`delete from sessions where user_id = ${ids.userId} and id = ${ids.sessionId}`,
  );
  if (count > 0) await recordChange(tx, { records: [changedSessions([sessionKey(ids)])] });
  return count > 0;
}

/**
 * Deletes all sessions of a person but one. The transaction must hold the person's row `for update`.
 * @returns the number of sessions
 */
export async function deleteOtherSessions(tx: Transaction, kept: TokenIds): Promise<number> {
  const keys = (await listSessionKeys(tx, kept.userId)).filter((key) => key !== sessionKey(kept));
  if (keys.length === 0) return 0;
  await tx.query(sql`delete from sessions where user_id = ${kept.userId} and id <> ${kept.sessionId}`);
  await recordChange(tx, { records: [changedSessions(keys)] });
  return keys.length;
}

/** Locks the guest tokens of a person for one event, as each write by them does, before the locks of the event. */
export async function lockGuestSessions(
  tx: Transaction,
  { eventId, userId }: { eventId: string; userId: string },
): Promise<void> {
  await tx.query(
    sql`select 1 from sessions where user_id = ${userId} and event_id = ${eventId} order by id for update`,
  );
}

/** Ends the guest tokens of a person for one event. */
export async function deleteGuestSessions(tx: Transaction, userId: string, eventId: string): Promise<void> {
  const ended = await tx.query<{ id: string }>(
    sql`delete from sessions where user_id = ${userId} and event_id = ${eventId} returning id`,
  );
  const keys = ended.map(({ id }) => sessionKey({ userId, sessionId: id }));
  if (keys.length > 0) await recordChange(tx, { records: [changedSessions(keys)] });
}

/** Deletes all sessions of a person. @returns the keys of the sessions */
export async function deleteSessionsOf(tx: Transaction, userId: string): Promise<string[]> {
  const keys = await listSessionKeys(tx, userId);
  await tx.query(sql`delete from sessions where user_id = ${userId}`);
  return keys;
}

/** Stores the tokens of a person's sessions, before a suspension deletes these: their senders learn of it. */
export async function storeSuspendedTokens(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(sql`
    insert into suspended_tokens (user_id, token_hash)
    select user_id, access_hash from sessions where user_id = ${userId}
    union
    select user_id, refresh_hash from sessions where user_id = ${userId} and refresh_hash is not null`);
}

export async function deleteSuspendedTokens(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(sql`delete from suspended_tokens where user_id = ${userId}`);
}

/**
 * The keys of a person's sessions. The transaction must hold the person's row `for update`, which prevents
 * new ones.
 */
export async function listSessionKeys(tx: Transaction, userId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`select id from sessions where user_id = ${userId}`);
  return rows.map(({ id }) => sessionKey({ userId, sessionId: id }));
}

/**
 * Changes a person's role. It takes effect on every server with the person's next request. The cached record of a session
 * has the role, so the versions of the sessions rise with it. A refresh at the same time waits for the row, or the change
 * waits for the refresh: their versions in the change log differ.
 */
export async function setRole(tx: Transaction, userId: string, role: Viewer['role']): Promise<void> {
  await updateRole(tx, userId, role);
  await tx.query(sql`${update('sessions')} where user_id = ${userId}`);
  await recordChange(tx, { records: [changedSessions(await listSessionKeys(tx, userId))] });
}

const maxExpiredPerTransaction = 1_000;

/**
 * Deletes expired sessions, a number of them in each transaction, so that no change of the log is large. The outer condition
 * spares a session that is refreshed while the statement waits for it.
 */
export async function deleteExpiredSessions(db: Database, now: Date): Promise<void> {
  for (let count = maxExpiredPerTransaction; count === maxExpiredPerTransaction; ) {
    count = await transaction(db, async (tx) => {
      const rows = await tx.query<{ userId: string; id: string }>(sql`
        delete from sessions where (user_id, id) in (
          select user_id, id from sessions where refresh_expires_at <= ${now} limit ${maxExpiredPerTransaction})
          and refresh_expires_at <= ${now}
        returning user_id, id`);
      const keys = rows.map(({ userId, id }) => sessionKey({ userId, sessionId: id }));
      if (keys.length > 0) await recordChange(tx, { records: [changedSessions(keys)] });
      return keys.length;
    });
  }
}
