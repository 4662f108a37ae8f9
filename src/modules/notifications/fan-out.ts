/** Notifies all guests of an event, a page of guests at a time. */
import type { Database } from '../../db/client.ts';
import { skipLockedUnless } from '../../db/locks.ts';
import { empty, type Statement, sql } from '../../db/sql.ts';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { idAfter, minId } from '../../lib/ids.ts';
import type { FanOutKind } from '../../outbox/kinds.ts';
import {
  keyOfPersons,
  keyOfSetting,
  type LockedPeople,
  listBlockedPairs,
  listInboxes,
  listSwitchedOff,
  lockPeople,
  type NewNotification,
  writeNotifications,
} from './delivery-repo.ts';
import { insertDeliveries } from './push/push-repo.ts';

/** A fan-out with the event as it is now. */
type FanOut = {
  eventId: string;
  kind: FanOutKind;
  position: string;
  isRepeated: boolean;
  organizerId: string;
  /** Whether the guests can see the event, it is not over, and the reason of the fan-out still holds. */
  isCurrent: boolean;
};

const guestsPerPage = 1_000;

/** Notifies the guests of all fan-outs that are committed and on which no other server works. */
export async function runFanOuts(db: Database, now: Date): Promise<void> {
  while (await notifyPage(db, now));
}

/**
 * Notifies one page of guests. One transaction locks the fan-out, writes the notifications and moves the
 * position on, so each guest is notified exactly once, also if the server is killed between two pages or
 * several servers work. Fan-outs take turns: the one that is least far is next.
 * @returns whether there may be more guests who can be notified now
 */
const notifyPage = (db: Database, now: Date): Promise<boolean> =>
  transaction(db, async (tx, commit) => {
    const fanOut = await lockFanOut(tx, now);
    if (!fanOut) return false;
    const guests = fanOut.isCurrent ? await listGuests(tx, fanOut) : [];
    const people = await lockPeople(tx, guests);
    // A guest whose account is locked is notified in a later run, and with them all guests behind them.
    const busyAt = guests.findIndex((id) => people.busy.has(id));
    const page = busyAt === -1 ? guests : guests.slice(0, busyAt);
    const [rows, inboxes] = await Promise.all([
      toNotifications(tx, fanOut, page, people),
      listInboxes(tx, page),
    ]);
    const isLastPage = busyAt === -1 && guests.length < guestsPerPage;
    await commit(
      ...writeNotifications(rows, inboxes, now),
      ...insertDeliveries(rows, inboxes, now),
      moveOn(fanOut, isLastPage ? null : page.at(-1)),
    );
    return busyAt !== 0;
  });

/** The notifications of a page of guests. A reminder comes from no person, all others from the organizer. */
async function toNotifications(
  tx: Transaction,
  { eventId, kind, organizerId }: FanOut,
  page: string[],
  { active }: LockedPeople,
): Promise<NewNotification[]> {
  const pairs = page.map((userId) => ({ userId, otherId: organizerId }));
  const [blocked, off] = await Promise.all([listBlockedPairs(tx, pairs), listSwitchedOff(tx, page)]);
  const recipients = pairs.filter(({ userId, otherId }) => {
    if (!active.has(userId) || off.has(keyOfSetting(userId, kind))) return false;
    return kind === 'reminder' || (userId !== otherId && !blocked.has(keyOfPersons({ userId, otherId })));
  });
  return recipients.map(({ userId }) => ({
    userId,
    kind,
    subjectId: eventId,
    personId: organizerId,
    count: 1,
  }));
}

/**
 * Locks the fan-out that is next. A later statement reads the event, so it sees every change that has asked for
 * the fan-out to be repeated; a change that is not committed yet waits for the lock.
 */
async function lockFanOut(tx: Transaction, now: Date): Promise<FanOut | null> {
  const locked = await lockNext(tx);
  if (!locked) return null;
  const { eventId, kind } = locked;
  const [event] = await tx.query<Pick<FanOut, 'organizerId' | 'isCurrent'>>(sql`
    select organizer_id, not hidden and visibility <> 'private' and end_at > ${now}
      and status = ${kind === 'eventCancelled' ? 'cancelled' : 'scheduled'}
      and (${kind !== 'reminder'} or start_at > ${now}) as is_current
    from events where id = ${eventId}`);
  return event ? { ...locked, ...event } : null;
}

type LockedFanOut = Omit<FanOut, 'organizerId' | 'isCurrent'>;

/** Fan-outs among which one is searched that no other server works on: more than there are servers. */
const maxCandidates = 50;

/** Locks the fan-out that is least far, of those that no other transaction locks. */
async function lockNext(tx: Transaction): Promise<LockedFanOut | null> {
  const candidates = await tx.query<Pick<FanOut, 'eventId' | 'kind'>>(sql`
    select event_id, kind from notification_fan_outs order by position, event_id, kind limit ${maxCandidates}`);
  for (const { eventId, kind } of candidates) {
    const [locked] = await tx.query<LockedFanOut>(sql`
      select event_id, kind, position, is_repeated from notification_fan_outs
      where event_id = ${eventId} and kind = ${kind} for update ${skipLockedUnless(false)}`);
    if (locked) return locked;
  }
  return null;
}

/**
 * The ids of the next guests in ascending order: people with an RSVP, a booking or a place in the waitlist, or a
 * claim. A reminder goes to those who are going or have seats.
 */
async function listGuests(tx: Transaction, { eventId, kind, position }: FanOut): Promise<string[]> {
  const isReminder = kind === 'reminder';
  const page = sql`order by user_id limit ${guestsPerPage}`;
  const guests = (table: Statement, condition: Statement) => sql`
    (select distinct user_id from ${table}
    where event_id = ${eventId} and user_id >= ${position} ${condition} ${page})`;
  const rows = await tx.query<{ userId: string }>(sql`
    select user_id from (
      ${guests(sql`rsvps`, isReminder ? sql`and status = 'going'` : empty)}
      union ${guests(sql`bookings`, isReminder ? sql`and status = 'booked'` : empty)}
      ${isReminder ? empty : sql`union ${guests(sql`claims`, empty)}`}
    ) g ${page}`);
  return rows.map(({ userId }) => userId);
}

/**
 * The statement that stores how far a fan-out is.
 * @param last the last guest who was notified; undefined if none was; null if all were
 */
function moveOn(
  { eventId, kind, position, isRepeated, isCurrent }: FanOut,
  last: string | null | undefined,
): Statement {
  const key = sql`event_id = ${eventId} and kind = ${kind}`;
  if (last === null && isRepeated && isCurrent)
    return sql`update notification_fan_outs set position = ${minId}, is_repeated = false where ${key}`;
  if (last === null) return sql`delete from notification_fan_outs where ${key}`;
  return sql`update notification_fan_outs set position = ${last ? idAfter(last) : position} where ${key}`;
}
