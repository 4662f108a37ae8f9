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
  listBlockedPairs,
  listSwitchedOff,
  lockPeople,
  writeNotifications,
} from './delivery-repo.ts';

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
    const pairs = guests.map((userId) => ({ userId, otherId: fanOut.organizerId }));
    const [people, blocked, off] = await Promise.all([
      lockPeople(tx, guests),
      listBlockedPairs(tx, pairs),
      listSwitchedOff(tx, guests),
    ]);
    // A guest whose account is locked is notified in a later run, and with them all guests behind them.
    const busyAt = guests.findIndex((id) => people.busy.has(id));
    const page = busyAt === -1 ? guests : guests.slice(0, busyAt);
    const { kind, eventId, organizerId } = fanOut;
    const isReminder = kind === 'reminder';
    const recipients = page.filter(
      (userId) =>
        people.active.has(userId) &&
        !off.has(keyOfSetting(userId, kind)) &&
        (isReminder ||
          (userId !== organizerId && !blocked.has(keyOfPersons({ userId, otherId: organizerId })))),
    );
    const rows = recipients.map((userId) => ({
      userId,
      kind,
      subjectId: eventId,
      personId: organizerId,
      count: 1,
    }));
    const isLastPage = busyAt === -1 && guests.length < guestsPerPage;
    await commit(...writeNotifications(rows, now), moveOn(fanOut, isLastPage ? null : page.at(-1)));
    return busyAt !== 0;
  });

async function lockFanOut(tx: Transaction, now: Date): Promise<FanOut | null> {
  const [fanOut] = await tx.query<FanOut>(sql`
    with fan_out as materialized (
      select * from notification_fan_outs
      order by position, event_id, kind limit 1 for update ${skipLockedUnless(false)}
    )
    select f.event_id, f.kind, f.position, f.is_repeated, e.organizer_id,
      not e.hidden and e.visibility <> 'private' and e.end_at > ${now}
        and e.status = case f.kind when 'eventCancelled' then 'cancelled' else 'scheduled' end
        and (f.kind <> 'reminder' or e.start_at > ${now}) as is_current
    from fan_out f join events e on e.id = f.event_id`);
  return fanOut ?? null;
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
