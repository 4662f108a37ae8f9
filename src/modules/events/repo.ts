import { newId } from '#base';
import { recordChange } from '#fresh-records';
import {
  assignments,
  columnOf,
  insertValues,
  isOneOf,
  type Queryable,
  raw,
  type Statement,
  sql,
  type Transaction,
  transactionTime,
  update,
} from '#pg';
import { cellOf } from '#record-index';
import type { Viewer } from '../../identity/caller.ts';
import { dateIn, dayNumber } from '../../lib/time-zones.ts';
import { insertFanOuts } from '../../outbox/causes.ts';
import { deleteEventNotifications } from '../../outbox/delete-notifications.ts';
import { type ChangeMessage, storeNotice } from '../../outbox/notices.ts';
import { deleteGuestsOf } from '../accounts/guests.ts';
import { addToEventsCount } from '../people/counters.ts';
import { changedEvents } from './changed-events.ts';
import { type EventFields, fieldNames, fieldRows } from './event-fields.ts';
import { approvePresent } from './event-people.ts';
import { changesCalendar, noticeOf } from './event-rules.ts';
import { listingKeysOf } from './listing-keys.ts';
import { isListed } from './policy.ts';
import type { EventRow } from './present.ts';
import { type SearchedTexts, searchChange, searchVector } from './search-words.ts';
import { invitedIn, isVisibleTo } from './standings.ts';
import { writeTombstones } from './tombstones.ts';
import { promoteWaitlist } from './waitlist.ts';

/** The columns of `events e` and `event_counters c` that the export has, too. */
export const eventColumns: Statement = raw(`
  ${fieldRows.map(([name, { select }]) => select ?? `e.${columnOf(name)}`).join(', ')}, e.created_at, e.updated_at,
  c.rsvp_count, c.going_count, c.going_count + c.extra_guests_count as party_count, c.booked_count`);

/** The statement that selects the rows of some `events e`. @param selection of the rows: WHERE and what follows */
export const selectEventRows = (selection: Statement): Statement => sql`
    select e.id, e.organizer_id, ${eventColumns}, e.hidden, e.hidden_reason, e.hidden_at,
      e.is_announced, e.sequence, (e.version + c.version)::float8 as version
    from events e join event_counters c on c.event_id = e.id
    ${selection}`;

/** Lists events by id, in any order, without the ids that do not exist. */
export async function listEventRows(db: Queryable, ids: string[]): Promise<EventRow[]> {
  return await db.query<EventRow>(selectEventRows(sql`where ${isOneOf(sql`e.id`, ids)}`));
}

/** Finds an event; null for an unknown id. */
export async function findEvent(db: Queryable, id: string): Promise<EventRow | null> {
  return (await listEventRows(db, [id]))[0] ?? null;
}

export type ViewerStateKey = { eventId: string; userId: string };

/**
 * Finds an event and locks it against other changes, and against new items, RSVPs, bookings and saves.
 * @returns null unless the event exists and the viewer may see it
 */
export async function findEventForUpdate(
  tx: Transaction,
  id: string,
  viewer: Viewer,
): Promise<EventRow | null> {
  await tx.query(sql`select 1 from events where id = ${id} for update`);
  const event = await findEvent(tx, id);
  return (await isVisibleTo(invitedIn(tx), id, event, viewer)) ? event : null;
}

/** How much an event adds to its organizer's `eventsCount`: 1 or 0. */
const eventsCountOf = (event: Pick<EventRow, 'visibility' | 'status' | 'hidden'>): number =>
  Number(isListed(event));

/**
 * `insertDetails`: inserts further rows of the event, before the change log is locked. `isAnnounced`: a public event is not
 * new to the followers of its organizer, such as an imported one.
 */
type Insertion = { insertDetails?: (id: string) => Promise<void>; isAnnounced?: boolean };

/**
 * Inserts an event with its counters, counts it for its organizer, and notifies the organizer's followers if it is public. The
 * transaction must hold a lock on the organizer's account.
 * @returns the id
 */
export async function insertEvent(
  tx: Transaction,
  organizerId: string,
  fields: EventFields,
  now: Date,
  { insertDetails, isAnnounced = false }: Insertion = {},
): Promise<string> {
  const id = newId();
  // A locked account is not suspended and cannot become so before the commit.
  const event = { ...fields, hidden: false };
  await tx.query(sql`
    insert into events ${insertValues({
      ...columns(fields),
      search: searchVector(fields),
      id,
      organizer_id: organizerId,
      is_announced: isAnnounced || isListed(event),
      created_at: now,
      updated_at: updateTime(now),
    })}`);
  await tx.query(
    sql`insert into event_counters (event_id, rsvp_count, going_count, last_item) values (${id}, 0, 0, 0)`,
  );
  await insertDetails?.(id);
  await addToEventsCount(tx, organizerId, eventsCountOf(event));
  if (isNews({ ...event, isAnnounced }, now)) await tx.execute(insertFanOuts('newEvent', [id]));
  await recordChange(tx, { records: [changedEvents([id])], listingKeys: listingKeysOf([event]) });
  return id;
}

/**
 * Updates an event, promotes its waitlist if the capacity changed, adjusts its organizer's `eventsCount`, and notifies
 * the guests of what concerns them.
 * @param before the locked row
 * @param message what the organizer writes to the guests about the change
 */
export async function updateEvent(
  tx: Transaction,
  before: EventRow,
  fields: EventFields,
  now: Date,
  message: ChangeMessage | null = null,
): Promise<void> {
  const after = { ...fields, hidden: before.hidden };
  const sequence = before.sequence + Number(changesCalendar(before, fields));
  const changed = assignments({
    ...columns(fields),
    ...changedSearch(before, fields),
    sequence,
    is_announced: before.isAnnounced || isListed(after),
    updated_at: updateTime(now),
  });
  await tx.query(sql`${update('events', changed)} where id = ${before.id}`);
  await writeTombstones(tx, [{ id: before.id, before, after }]);
  if (fields.capacity !== before.capacity) await tx.execute(promoteWaitlist(before.id));
  if (fields.rsvpApproval === 'organizer' && before.rsvpApproval === 'none')
    await tx.execute(approvePresent(before.id));
  await addToEventsCount(tx, before.organizerId, eventsCountOf(after) - eventsCountOf(before));
  const kind = noticeOf(before, after, now);
  if (kind) await storeNotice(tx, kind, before.id, { before, after, message }, now);
  if (isNews({ ...after, isAnnounced: before.isAnnounced }, now))
    await tx.execute(insertFanOuts('newEvent', [before.id]));
  await recordChange(tx, {
    records: [changedEvents([before.id])],
    listingKeys: listingKeysOf([before, after]),
  });
}

/** Whether the followers of the organizer are to be notified of an event that a transaction writes. */
const isNews = (
  event: Pick<EventRow, 'visibility' | 'status' | 'hidden' | 'isAnnounced' | 'endAt'>,
  now: Date,
): boolean => isListed(event) && !event.isAnnounced && event.endAt > now;

/**
 * Deletes an event with its guests without an account; foreign keys delete the rows that refer to it. @param event the locked
 * row. The transaction must hold the lock of `lockGuestsOf`
 */
export async function deleteEvent(tx: Transaction, event: EventRow): Promise<void> {
  await writeTombstones(tx, [{ id: event.id, before: event, after: null }]);
  await tx.query(sql`delete from events where id = ${event.id}`);
  await tx.query(
    sql`delete from imports where organizer_id = ${event.organizerId} and event_id = ${event.id}`,
  );
  await addToEventsCount(tx, event.organizerId, -eventsCountOf(event));
  await deleteEventNotifications(tx, event.id, event.organizerId);
  const guests = await deleteGuestsOf(tx, [event.id]);
  await recordChange(tx, {
    records: [changedEvents([event.id]), ...guests],
    listingKeys: listingKeysOf([event]),
  });
}

/** Never before the time of the transaction, by which clients find what has changed (readSettledTime). */
const updateTime = (now: Date): Statement => sql`greatest(${transactionTime}, ${now}::timestamptz)`;

const columns = (fields: EventFields): Record<string, unknown> => ({
  ...Object.fromEntries(fieldNames.map((name) => [columnOf(name), fields[name]])),
  cell: cellOf(fields.lat, fields.lng),
  ...daysOf(fields),
});

/** The local days of an all-day event, by which lists of days select it: `end_day` is the day after the last one. */
const daysOf = ({ allDay, startAt, endAt, timezone }: EventFields) => ({
  first_day: allDay ? dayNumber(dateIn(startAt, timezone)) : null,
  end_day: allDay ? dayNumber(dateIn(endAt, timezone)) : null,
});

/** The text forms of two vectors, one after the other, are the text form of a vector with the words of both. */
function changedSearch(before: SearchedTexts, after: SearchedTexts): { search?: Statement } {
  const change = searchChange(before, after);
  if (!change) return {};
  const { kept, added } = change;
  return { search: sql`(ts_filter(search, ${kept}::"char"[])::text || ' ' || ${added})::tsvector` };
}

export const rsvpStatuses = ['going', 'interested'] as const;
export type Rsvp = (typeof rsvpStatuses)[number];

/** Requests to join that the organizer has not approved. */
export const requestStatuses = ['pending', 'refused'] as const;
export type OpenRequest = (typeof requestStatuses)[number];
