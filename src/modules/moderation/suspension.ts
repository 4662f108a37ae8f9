/** Suspends and restores accounts. */
import { inChunks } from '#base';
import { recordChange } from '#fresh-records';
import { type Database, sql, type Transaction, transaction } from '#pg';
import { onBehalfOf } from '../../identity/caller.ts';
import { changedPeople } from '../../identity/changed-people.ts';
import { changedSessions } from '../../identity/sessions.ts';
import { Problem } from '../../lib/errors.ts';
import { updateSuspension } from '../accounts/accounts.ts';
import { deleteSessionsOf, deleteSuspendedTokens, storeSuspendedTokens } from '../accounts/sessions/repo.ts';
import { followSeries, shareAnsweredSeries } from '../attendance/series/follow-series.ts';
import type { AttendanceServices } from '../attendance/services.ts';
import { changedEvents } from '../events/changed-events.ts';
import { setHidden } from '../events/organizer-events.ts';

/** Allows for people who organize ten thousand events. */
export const suspensionTimeoutMs = 60_000;
const lockTimeoutMs = 30_000;

type AccountState = { role: 'user' | 'admin'; suspendedAt: Date | null };

/**
 * Suspends an account: ends all sessions and hides all events. The lock on the account conflicts with the
 * share lock that every write of its owner takes (`actAs`), and with sign-in. Earlier writes are therefore
 * committed and visible here, and later ones are refused.
 * @param options.reason what the person reads
 * @returns false if the account was suspended before
 * @throws Problem `user_not_found`, `is_admin`
 */
export async function suspend(
  tx: Transaction,
  userId: string,
  { reason, now }: { reason: string; now: Date },
): Promise<boolean> {
  await extendTimeouts(tx);
  // An admin is not locked: two admins who suspended each other would deadlock.
  const before = await findState(tx, userId, false);
  const state = before.role === 'admin' ? before : await findState(tx, userId, true);
  if (state.role === 'admin') throw new Problem('is_admin');
  if (state.suspendedAt) return false;
  await storeSuspendedTokens(tx, userId);
  await changeSuspension(tx, userId, now, reason);
  return true;
}

/**
 * Restores a suspended account and shows its events again. The dates of series that were made meanwhile follow its answers to these. Ended sessions stay ended, and those that the
 * person opened since end too: whether a session is limited never changes, so servers may cache it.
 * @returns false if the account was not suspended
 * @throws Problem `user_not_found`
 */
export async function restore(
  tx: Transaction,
  services: Pick<AttendanceServices, 'rsvps' | 'clock'>,
  userId: string,
): Promise<boolean> {
  await extendTimeouts(tx);
  const { suspendedAt } = await findState(tx, userId, true);
  if (!suspendedAt) return false;
  await deleteSuspendedTokens(tx, userId);
  await shareAnsweredSeries(tx, userId);
  await changeSuspension(tx, userId, null, '');
  await followSeries(tx, services, onBehalfOf({ id: userId, hasAccount: true }), services.clock());
  return true;
}

async function changeSuspension(
  tx: Transaction,
  userId: string,
  suspendedAt: Date | null,
  reason: string,
): Promise<void> {
  await updateSuspension(tx, userId, suspendedAt, reason);
  const sessions = await deleteSessionsOf(tx, userId);
  const { ids, listingKeys } = await setHidden(tx, userId, suspendedAt !== null);
  await recordChange(tx, {
    records: [changedPeople([userId]), changedSessions(sessions), changedEvents(ids)],
    listingKeys,
  });
}

/** How long late events are looked for once all nodes respond: a cluster finishes a lost commit within a minute then. */
const lateEventsMs = 5 * 60_000;

/**
 * What this process has looked at, by database. `doneBefore`: suspensions of before need no further look. `since`: when the
 * scans began of which none has failed.
 */
const scans = new WeakMap<Database, { doneBefore: Date; since: Date | null }>();

/**
 * Hides events of suspended people that have become visible since the suspension: on a cluster, the commit of a new event
 * can reach its node after that of the account, whose lock the suspension has waited for. A scan needs all nodes: after one
 * that failed, and after the start of the process, suspensions of all times are looked at again.
 * @throws the error of the first account that failed, after the others
 */
export async function hideLateEvents(db: Database, now: Date): Promise<void> {
  const { doneBefore, since } = scans.get(db) ?? { doneBefore: new Date(0), since: null };
  scans.set(db, { doneBefore: new Date(0), since: null });
  const errors: unknown[] = [];
  for (const id of await listWithShownEvents(db, doneBefore)) {
    await transaction(db, (tx) => hideEventsOf(tx, id)).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
  const isDone = since !== null && now.getTime() - since.getTime() >= lateEventsMs;
  scans.set(db, {
    doneBefore: isDone ? new Date(now.getTime() - lateEventsMs) : doneBefore,
    since: since ?? now,
  });
}

/** Suspended people with events that are not hidden. Without locks: nearly always, there are none. */
async function listWithShownEvents(db: Database, suspendedSince: Date): Promise<string[]> {
  const suspended = await db.query<{ id: string }>(sql`
    select id from users where suspended_at >= ${suspendedSince}`);
  const found: string[] = [];
  for (const some of inChunks(suspended)) {
    const rows = await db.query<{ id: string }>(sql`
      select distinct organizer_id as id from events
      where organizer_id = any(${some.map(({ id }) => id)}::uuid[]) and not hidden`);
    found.push(...rows.map(({ id }) => id));
  }
  return found;
}

async function hideEventsOf(tx: Transaction, userId: string): Promise<void> {
  const suspended = await tx.query(sql`
    select 1 from users where id = ${userId} and suspended_at is not null for update`);
  if (suspended.length === 0) return;
  const { ids, listingKeys } = await setHidden(tx, userId, true);
  if (ids.length > 0) await recordChange(tx, { records: [changedEvents(ids)], listingKeys });
}

async function extendTimeouts(tx: Transaction): Promise<void> {
  await tx.query(sql`select set_config('statement_timeout', ${`${suspensionTimeoutMs}ms`}, true)`);
  await tx.query(sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`);
}

/** @throws Problem `user_not_found` */
async function findState(tx: Transaction, userId: string, isLocked: boolean): Promise<AccountState> {
  const [row] = await tx.query<AccountState>(sql`
    select role, suspended_at from users where id = ${userId} ${isLocked ? sql`for update` : sql``}`);
  if (!row) throw new Problem('user_not_found');
  return row;
}
