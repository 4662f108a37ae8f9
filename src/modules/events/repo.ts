import { newId } from '#base';
import { type ChangedRecords, type ListingKey, recordChange } from '#fresh-records';
import {
  assignments,
  columnOf,
  insertRows,
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
import { type ChangeMessage, storeNotices } from '../../outbox/notices.ts';
import { deleteGuestsOf } from '../accounts/guests.ts';
import { addToEventsCount } from '../people/counters.ts';
import { changedEvents } from './changed-events.ts';
import { type EventFieldName, type EventFields, eventFields, fieldNames } from './event-fields.ts';
import { approvePresent } from './event-people.ts';
import { changesCalendar, noticeOf } from './event-rules.ts';
import type { PlacedEvent, StoredFields } from './exact-place.ts';
import { listingKeysOf } from './listing-keys.ts';
import { isListed } from './policy.ts';
import type { EventRow } from './present.ts';
import { type SearchedTexts, searchChange, searchVector } from './search-words.ts';
import { invitedIn, isVisibleTo } from './standings.ts';
import { writeTombstones } from './tombstones.ts';
import { exactPlaceOf, movesUnseen, moveUnseen } from './unseen-moves.ts';
import { promoteWaitlist } from './waitlist.ts';

const publicColumn = (name: EventFieldName): string => eventFields[name].select ?? `e.${columnOf(name)}`;

/** The columns of `events e` and `event_counters c` that the export has, too. */
const columnsOfEvent = (select: (name: EventFieldName) => string): Statement =>
  raw(`
  ${fieldNames.map(select).join(', ')}, e.created_at, e.updated_at,
  c.rsvp_count, c.going_count, c.going_count + c.extra_guests_count as party_count, c.booked_count`);

const eventColumns = columnsOfEvent(publicColumn);

/** The types of the columns of which `exact_place` has the entered values. */
const exactColumns: Partial<Record<EventFieldName, string>> = {
  ...{ address: 'text', lat: 'float8', lng: 'float8', isExact: 'boolean', onlineUrl: 'text' },
};

/** The same as its organizer entered them. */
export const enteredColumns = columnsOfEvent((name) => {
  const type = exactColumns[name];
  if (type === undefined) return publicColumn(name);
  return `coalesce((e.exact_place ->> '${name}')::${type}, ${publicColumn(name)}) as ${columnOf(name)}`;
});

/** The statement that selects the rows of some `events e`. @param selection of the rows: WHERE and what follows */
export const selectEventRows = (selection: Statement): Statement => sql`
    select e.id, e.organizer_id, ${eventColumns}, e.hidden, e.hidden_reason, e.hidden_at,
      e.is_announced, e.sequence, e.series_id, e.series_date, e.own_fields, e.exact_place is not null as is_address_hidden,
      e.exact_place ->> 'onlineUrl' is not null as hides_online_url, (e.version + c.version)::float8 as version
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

/** What an event is of a series. `date`: its identity, the local start that the rule gives. `ownFields`: those changed for it alone. */
export type Occurrence = { seriesId: string; seriesDate: string; ownFields: EventFieldName[] };

/** `isAnnounced`: a public event is not new to the followers of its organizer, such as an imported one. */
export type NewEventRow = { fields: StoredFields; occurrence?: Occurrence; isAnnounced?: boolean };

/**
 * `insertDetails`: inserts further rows of the event, before the change log is locked. `isAnnounced`: as of `NewEventRow`.
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
  fields: StoredFields,
  now: Date,
  { insertDetails, isAnnounced = false }: Insertion = {},
): Promise<string> {
  const [id = ''] = await insertEvents(tx, organizerId, [{ fields, isAnnounced }], now, {
    insertDetails: async ([id = '']) => insertDetails?.(id),
  });
  return id;
}

/** `insertDetails`: as of `Insertion`. `changed`: events that the transaction has changed without recording it. */
type Insertions = { insertDetails?: (ids: string[]) => Promise<void>; changed?: EventRow[] };

/** What a write changed outside its own tables, for the change log. */
export type EventChanges = { records: ChangedRecords[]; listingKeys: ListingKey[] };

/** Records what writes changed, as the last step of a transaction: other transactions wait for its lock. */
export const recordEventChanges = (tx: Transaction, changes: EventChanges[]): Promise<void> =>
  recordChange(tx, {
    records: changes.flatMap(({ records }) => records),
    listingKeys: changes.flatMap(({ listingKeys }) => listingKeys),
  });

/** Inserts events as `insertEvent` does. */
export async function insertEvents(
  tx: Transaction,
  organizerId: string,
  rows: NewEventRow[],
  now: Date,
  insertions: Insertions = {},
): Promise<string[]> {
  const { ids, changes } = await writeInsertions(tx, organizerId, rows, now, insertions);
  await recordEventChanges(tx, [changes]);
  return ids;
}

/**
 * Inserts events without recording the changes, which the transaction does at its end.
 * @returns their ids, in the same order
 */
export async function writeInsertions(
  tx: Transaction,
  organizerId: string,
  rows: NewEventRow[],
  now: Date,
  { insertDetails, changed = [] }: Insertions = {},
): Promise<{ ids: string[]; changes: EventChanges }> {
  // A locked account is not suspended and cannot become so before the commit.
  const events = rows.map((row) => ({
    isAnnounced: false,
    ...row,
    id: newId(),
    event: { ...row.fields, hidden: false },
  }));
  const ids = events.map(({ id }) => id);
  for (const { id, fields, event, occurrence, isAnnounced } of events)
    await tx.query(sql`
      insert into events ${insertValues({
        ...columns(fields),
        ...occurrenceColumns(occurrence),
        search: searchVector(fields),
        exact_place: exactPlaceOf(fields.exactPlace ?? null),
        id,
        organizer_id: organizerId,
        is_announced: isAnnounced || isListed(event),
        created_at: now,
        updated_at: updateTime(now),
      })}`);
  await tx.execute(
    insertRows(
      'event_counters',
      ids.map((eventId) => ({ eventId, rsvpCount: 0, goingCount: 0, lastItem: 0 })),
      { eventId: 'uuid', rsvpCount: 'int', goingCount: 'int', lastItem: 'int' },
    ),
  );
  await insertDetails?.(ids);
  await addToEventsCount(
    tx,
    organizerId,
    events.reduce((sum, { event }) => sum + eventsCountOf(event), 0),
  );
  const news = events.filter(({ event, isAnnounced }) => isNews({ ...event, isAnnounced }, now));
  if (news.length > 0)
    await tx.execute(
      insertFanOuts(
        'newEvent',
        news.map(({ id }) => id),
      ),
    );
  return {
    ids,
    changes: {
      records: [changedEvents([...ids, ...changed.map(({ id }) => id)])],
      listingKeys: listingKeysOf([...events.map(({ event }) => event), ...changed]),
    },
  };
}

const occurrenceColumns = (occurrence: Partial<Occurrence> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(occurrence).map(([name, value]) => [columnOf(name), value]));

/** `before`: the locked row, with the public place. `occurrence`: what changes about its series. */
export type EventUpdate = {
  before: PlacedEvent;
  fields: StoredFields;
  occurrence?: Partial<Occurrence>;
};

/**
 * Updates an event, promotes its waitlist if the capacity changed, adjusts its organizer's `eventsCount`, and notifies
 * the guests of what concerns them.
 * @param message what the organizer writes to the guests about the change
 */
export const updateEvent = (
  tx: Transaction,
  update: EventUpdate,
  now: Date,
  message: ChangeMessage | null = null,
): Promise<void> => updateEvents(tx, [update], now, message);

/** Updates events as `writeUpdates` does, and records the changes. */
export const updateEvents = async (
  tx: Transaction,
  updates: EventUpdate[],
  now: Date,
  message: ChangeMessage | null = null,
): Promise<void> => recordEventChanges(tx, [await writeUpdates(tx, updates, now, message)]);

/**
 * Updates events of one organizer as `updateEvent` does, without recording the changes. The transaction must hold the locks of all of them. A person who is a guest
 * of several is notified once, of the first one.
 * @param updates in the order of their starts
 */
export async function writeUpdates(
  tx: Transaction,
  updates: EventUpdate[],
  now: Date,
  message: ChangeMessage | null = null,
): Promise<EventChanges> {
  const [unseen = [], seen = []] = [true, false].map((isUnseen) =>
    updates.filter(({ before, fields }) => movesUnseen(before, fields) === isUnseen),
  );
  for (const { before, fields } of unseen) await moveUnseen(tx, { before, fields }, now, message);
  const changes = seen.map((change) => ({
    ...change,
    after: { ...change.fields, hidden: change.before.hidden },
  }));
  const [first] = changes;
  if (!first) return noChanges;
  for (const { before, fields, after, occurrence } of changes) {
    const changed = assignments({
      ...columns(fields),
      ...occurrenceColumns(occurrence),
      ...changedSearch(before, fields),
      ...(fields.exactPlace !== undefined && { exact_place: exactPlaceOf(fields.exactPlace) }),
      // Calendars of people who saw the exact place have a higher number.
      sequence:
        before.sequence +
        (fields.exactPlace === null ? (before.exactPlace?.moves ?? 0) : 0) +
        Number(changesCalendar(before, fields)),
      is_announced: before.isAnnounced || isListed(after),
      updated_at: updateTime(now),
    });
    await tx.query(sql`${update('events', changed)} where id = ${before.id}`);
  }
  await writeTombstones(
    tx,
    changes.map(({ before, after }) => ({ id: before.id, before, after })),
  );
  for (const { before, fields } of changes) {
    if (fields.capacity !== before.capacity) await tx.execute(promoteWaitlist(before.id));
    if (fields.rsvpApproval === 'organizer' && before.rsvpApproval === 'none')
      await tx.execute(approvePresent(before.id));
  }
  await addToEventsCount(
    tx,
    first.before.organizerId,
    changes.reduce((sum, { before, after }) => sum + eventsCountOf(after) - eventsCountOf(before), 0),
  );
  const notices = changes.flatMap(({ before, after }) => {
    const kind = noticeOf(before, after, now);
    return kind ? [{ kind, eventId: before.id, before, after, message }] : [];
  });
  await storeNotices(tx, notices, now);
  const news = changes.filter(({ before, after }) =>
    isNews({ ...after, isAnnounced: before.isAnnounced }, now),
  );
  if (news[0]) await tx.execute(insertFanOuts('newEvent', [news[0].before.id]));
  return {
    records: [changedEvents(changes.map(({ before }) => before.id))],
    listingKeys: listingKeysOf(changes.flatMap(({ before, after }) => [before, after])),
  };
}

const noChanges: EventChanges = { records: [], listingKeys: [] };

/** Whether the followers of the organizer are to be notified of an event that a transaction writes. */
const isNews = (
  event: Pick<EventRow, 'visibility' | 'status' | 'hidden' | 'isAnnounced' | 'endAt'>,
  now: Date,
): boolean => isListed(event) && !event.isAnnounced && event.endAt > now;

/**
 * Deletes events of one organizer with their guests without an account; foreign keys delete the rows that refer to them.
 * @param events the locked rows. The transaction must hold the lock of `lockGuestsOf`
 */
export const deleteEvents = async (tx: Transaction, events: EventRow[]): Promise<void> =>
  recordEventChanges(tx, [await writeDeletions(tx, events)]);

/** Deletes events as `deleteEvents` does, without recording the changes. */
export async function writeDeletions(tx: Transaction, events: EventRow[]): Promise<EventChanges> {
  const [first] = events;
  if (!first) return noChanges;
  const ids = events.map(({ id }) => id);
  const { organizerId } = first;
  await writeTombstones(
    tx,
    events.map((event) => ({ id: event.id, before: event, after: null })),
  );
  await tx.query(sql`delete from events where ${isOneOf(sql`id`, ids)}`);
  await tx.query(
    sql`delete from imports where organizer_id = ${organizerId} and ${isOneOf(sql`event_id`, ids)}`,
  );
  await addToEventsCount(tx, organizerId, -events.reduce((sum, event) => sum + eventsCountOf(event), 0));
  for (const id of ids) await deleteEventNotifications(tx, id, organizerId);
  const guests = await deleteGuestsOf(tx, ids);
  return { records: [changedEvents(ids), ...guests], listingKeys: listingKeysOf(events) };
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
