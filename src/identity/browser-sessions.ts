/**
 * Browser sessions: one token, which the browser stores as a cookie. The session ends 30 days after its last
 * renewal. Requests renew it, at most once a day, so that few requests write.
 */
import { dayMs, shareOf } from '#base';
import { recordChange } from '#fresh-records';
import { type Database, sql, transaction, update } from '#pg';
import { changedSessions, type LiveSession, sessionKey } from './sessions.ts';

/** How long an unused browser session lasts. */
export const browserIdleMs = 30 * dayMs;
const renewalIntervalMs = dayMs;
/** Renewals that this process runs at a time. A later request renews the other sessions. */
const maxRunning = shareOf(4);

/** Whether the last renewal is a day old, and the session may last longer. */
export const isRenewalDue = ({ accessExpiresAt, endsAt }: LiveSession, now: Date): boolean =>
  accessExpiresAt < endsAt && accessExpiresAt < dueBefore(now);

const dueBefore = (now: Date) => new Date(now.getTime() + browserIdleMs - renewalIntervalMs);

/** Renews browser sessions in the background: the request does not wait, and succeeds without the renewal. */
export class SessionRenewals {
  readonly #db: Database;
  readonly #running = new Set<string>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Renews the session if that is due. */
  start(session: LiveSession, now: Date): void {
    if (!isRenewalDue(session, now)) return;
    const key = sessionKey({ userId: session.userId, sessionId: session.id });
    if (this.#running.has(key) || this.#running.size >= maxRunning) return;
    this.#running.add(key);
    // After a failure, the next request of the session tries again.
    renewSession(this.#db, session, now)
      .catch(() => {})
      .finally(() => this.#running.delete(key));
  }
}

/**
 * The condition on the expiry decides under the lock of the row: of concurrent renewals on several servers,
 * one writes. A session that has ended meanwhile stays ended.
 */
const renewSession = (db: Database, { userId, id, accessHash }: LiveSession, now: Date): Promise<void> =>
  transaction(db, async (tx) => {
    const expiresAt = new Date(now.getTime() + browserIdleMs);
    const count = await tx.execute(sql`
      ${update(
        'sessions',
        sql`refreshed_at = ${now}, access_expires_at = least(${expiresAt}::timestamptz, ends_at),
          refresh_expires_at = least(${expiresAt}::timestamptz, ends_at)`,
      )}
      where user_id = ${userId} and id = ${id} and access_hash = ${accessHash} and access_expires_at < ${dueBefore(now)}`);
    if (count > 0)
      await recordChange(tx, { records: [changedSessions([sessionKey({ userId, sessionId: id })])] });
  });
