/**
 * Account deletion: everything of a person goes in one transaction, and what others see is corrected with it.
 *
 * A declared fan-out: it touches every event that the person answered, saved or claimed on. It takes its locks in the
 * one order of db/transaction.ts, so that it waits for others and others wait for it, but never in a circle:
 * - The codes come first, before any account, as in a sign-in.
 * - The person's own row: whatever they are just writing holds a share lock on it (actAs), so it either ends before and
 *   is found below, or finds its author gone.
 * - Every event involved, their own or not, in one sorted pass: two people who are on each other's events and delete
 *   their accounts at once meet there in the same order. That lock leaves others free to answer and to claim.
 * - Their own events once more, now against everybody.
 */

import { recordChange } from '../../cache/change-log.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { deleteBookingsOf } from '../attendance/delete-bookings.ts';
import { listSessionKeys } from '../auth/repo.ts';
import { type ListableEvent, listingKeysOf } from '../events/listing-keys.ts';
import { deleteReports } from '../reports/repo.ts';
import { deleteUploadsOf } from '../uploads/repo.ts';

/**
 * @param phoneHash the key of the person's codes; the transaction must hold the one that confirms the deletion
 * @returns the files of their images, to be deleted when the transaction has ended; whatever is left of them is swept up
 */
export async function deleteAccount(tx: Transaction, userId: string, phoneHash: Buffer): Promise<string[]> {
  // Whoever organized ten thousand events has as much right to go as anybody.
  await tx.query(sql`set local statement_timeout = '60s'`);
  await tx.query(sql`set local lock_timeout = '30s'`);
  await deleteCodes(tx, phoneHash);
  await tx.query(sql`select 1 from users where id = ${userId} for update`);
  const sessions = await listSessionKeys(tx, userId);
  const involved = await lockInvolvedEvents(tx, userId);
  const gone = await deleteOwnedEvents(tx, userId);
  await deleteRsvpsAndSaves(tx, userId);
  await deleteBookingsOf(tx, userId);
  await deleteClaims(tx, userId);
  await deleteRelations(tx, userId);
  await deleteReports(tx, userId);
  await deleteConversations(tx, userId);
  const files = await deleteUploadsOf(tx, userId);
  await tx.query(
    sql`delete from phones where user_id = ${userId} and phone = (select phone from users where id = ${userId})`,
  );
  await tx.query(sql`
    delete from usernames
    where user_id = ${userId} and username = (select username from users where id = ${userId})`);
  // Takes sessions, imports and counters along. No session, no token: on every node, at once.
  await tx.query(sql`delete from users where id = ${userId}`);
  await recordChange(tx, { records: [userId, ...sessions, ...involved], listingKeys: listingKeysOf(gone) });
  return files;
}

/** With the count of messages to this number; those of its prefix and country tell of nobody. */
async function deleteCodes(tx: Transaction, phoneHash: Buffer): Promise<void> {
  await tx.query(sql`delete from codes where phone_hash = ${phoneHash}`);
  await tx.query(sql`delete from code_sends where scope = ${`number:${phoneHash.toString('base64url')}`}`);
}

/** Gives their ids. */
async function lockInvolvedEvents(tx: Transaction, userId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from events
    where id in (
      select id from events where organizer_id = ${userId}
      union select event_id from rsvps where user_id = ${userId}
      union select event_id from saves where user_id = ${userId}
      union select event_id from claims where user_id = ${userId}
      union select event_id from bookings where user_id = ${userId})
    order by id for no key update`);
  return rows.map(({ id }) => id);
}

async function deleteOwnedEvents(tx: Transaction, userId: string): Promise<ListableEvent[]> {
  await tx.query(sql`select 1 from events where organizer_id = ${userId} order by id for update`);
  return await tx.query<ListableEvent>(sql`
    delete from events where organizer_id = ${userId}
    returning lat, lng, start_at, end_at, visibility, status, hidden`);
}

/** Locks the counters of bookings too: nobody may have to wait for some of them while holding others. */
async function deleteRsvpsAndSaves(tx: Transaction, userId: string): Promise<void> {
  const gone = await tx.query<{ eventId: string; going: number }>(sql`
    delete from rsvps where user_id = ${userId} returning event_id, (status = 'going')::int as going`);
  const ids = gone.map((row) => row.eventId);
  await tx.query(sql`
    select 1 from event_counters
    where event_id = any(${ids}::uuid[]) or event_id in (select event_id from bookings where user_id = ${userId})
    order by event_id for update`);
  await tx.query(sql`
    update event_counters c set rsvp_count = rsvp_count - 1, going_count = going_count - gone.going
    from unnest(${ids}::uuid[], ${gone.map((row) => row.going)}::int[]) gone (event_id, going)
    where c.event_id = gone.event_id`);
  await tx.query(sql`delete from saves where user_id = ${userId}`);
}

async function deleteClaims(tx: Transaction, userId: string): Promise<void> {
  await tx.query(sql`
    select 1 from item_stock s where (event_id, n) in (select event_id, n from claims where user_id = ${userId})
    order by event_id, n for update`);
  await tx.query(sql`
    with gone as (delete from claims where user_id = ${userId} returning event_id, n, quantity)
    update item_stock s set claimed = claimed - gone.quantity
    from gone where s.event_id = gone.event_id and s.n = gone.n`);
}

async function deleteRelations(tx: Transaction, userId: string): Promise<void> {
  const known = await tx.query<{ otherId: string }>(
    sql`select other_id from relations where user_id = ${userId}`,
  );
  const ids = known.map((row) => row.otherId);
  await tx.query(sql`
    select 1 from relations
    where (user_id = ${userId}) or (user_id = any(${ids}::uuid[]) and other_id = ${userId})
    order by user_id, other_id for update`);
  // What counts is what is there once it is locked: one of the others may have just deleted their account.
  const gone = await tx.query<{ otherId: string; follows: number; followedBy: number }>(sql`
    delete from relations where user_id = ${userId}
    returning other_id, follows::int as follows, followed_by::int as followed_by`);
  await tx.query(sql`delete from relations where user_id = any(${ids}::uuid[]) and other_id = ${userId}`);
  await tx.query(
    sql`select 1 from user_counters where user_id = any(${ids}::uuid[]) order by user_id for update`,
  );
  await tx.query(sql`
    update user_counters c
    set followers_count = followers_count - gone.follows, following_count = following_count - gone.followed_by
    from unnest(${gone.map((row) => row.otherId)}::uuid[], ${gone.map((row) => row.follows)}::int[],
      ${gone.map((row) => row.followedBy)}::int[]) gone (other_id, follows, followed_by)
    where c.user_id = gone.other_id`);
}

/** On both sides, with every message in them, read or not. Two who leave at once meet at the same rows in one order. */
async function deleteConversations(tx: Transaction, userId: string): Promise<void> {
  const known = await tx.query<{ otherId: string }>(
    sql`select other_id from conversations where user_id = ${userId}`,
  );
  const ids = known.map((row) => row.otherId);
  await tx.query(sql`
    select 1 from conversations
    where user_id = ${userId} or (user_id = any(${ids}::uuid[]) and other_id = ${userId})
    order by user_id, other_id for update`);
  await tx.query(sql`delete from conversations where user_id = ${userId}`);
  await tx.query(sql`delete from conversations where user_id = any(${ids}::uuid[]) and other_id = ${userId}`);
}
