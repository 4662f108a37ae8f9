/** Reads events. */
import { columnOf, isOneOf, type Queryable, raw, type Statement, sql, type Transaction } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { type EventFieldName, eventFields, fieldNames } from './event-fields.ts';
import type { EventRow } from './present.ts';
import { invitedIn, isVisibleTo } from './standings.ts';

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

export const rsvpStatuses = ['going', 'interested'] as const;
export type Rsvp = (typeof rsvpStatuses)[number];

/** Requests to join that the organizer has not approved. */
export const requestStatuses = ['pending', 'refused'] as const;
export type OpenRequest = (typeof requestStatuses)[number];
