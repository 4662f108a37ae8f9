/** The viewer's own fields of events: RSVP, saved flag and booking. Concurrent requests share statements. */
import { createLoader, type Database, type Queryable, rowsOf, sql } from '#pg';
import type { MyBooking, ViewerState, ViewerStateOfRecord } from './present.ts';
import type { OpenRequest, Rsvp, ViewerStateKey } from './repo.ts';
import { waitlistPosition } from './waitlist.ts';

export type ViewerStates = {
  /** The state for one event, with the booking. */
  find(key: ViewerStateKey): Promise<ViewerStateOfRecord>;
  /** The states for the events of a list, in its order, without bookings. */
  findMany(key: { userId: string; eventIds: string[] }): Promise<ViewerState[]>;
};

/** A list has up to 50 events. */
const maxListsPerStatement = 32;

export function createViewerStates(db: Database): ViewerStates {
  return {
    find: createLoader((keys: ViewerStateKey[]) => listViewerStatesOfRecords(db, keys), {
      keyOf: ({ eventId, userId }) => eventId + userId,
    }),
    findMany: createLoader(
      async (keys: { userId: string; eventIds: string[] }[]) => {
        const each = keys.flatMap(({ userId, eventIds }) => eventIds.map((eventId) => ({ userId, eventId })));
        const all = await listViewerStates(db, each);
        return keys.map(({ eventIds }) => all.splice(0, eventIds.length));
      },
      { keyOf: ({ userId, eventIds }) => userId + eventIds.join(''), maxBatchSize: maxListsPerStatement },
    ),
  };
}

const viewerStateKey = { eventId: 'uuid', userId: 'uuid' } as const;

/**
 * Lists the RSVP and the saved flag for each key, in the order of the keys. The statement returns no rows for keys
 * without either, because viewers have few of them in a list. Outer joins would copy both tables of a distributed
 * database to one machine.
 */
export async function listViewerStates(db: Queryable, keys: ViewerStateKey[]): Promise<ViewerState[]> {
  const states = sql`
    select event_id, user_id, status from rsvps
    union all select event_id, user_id, null from saves`;
  const rows = await db.query<{ n: number; myRsvp: Rsvp | null }>(sql`
    select k.nth::int as n, t.status as my_rsvp
    from ${rowsOf({ rows: states, as: 't' }, keys, viewerStateKey)}`);
  const found = new Map<number, ViewerState>();
  for (const { n, myRsvp } of rows) {
    const own = { ...(found.get(n) ?? noViewerState) };
    if (myRsvp) own.myRsvp = myRsvp;
    else own.isSaved = true;
    found.set(n, own);
  }
  return keys.map((_, i) => found.get(i + 1) ?? noViewerState);
}

const noViewerState: ViewerState = { myRsvp: null, isSaved: false };

/** What a person has at an event, in one of four tables. */
type OwnRow = { n: number } & (
  | { source: 'rsvp'; status: Rsvp; extraGuests: number; isHidden: boolean }
  | { source: 'save' }
  | ({ source: 'booking' } & MyBooking)
  | { source: 'request'; status: OpenRequest }
);

/**
 * Lists the viewer's own fields of records: the same with the other fields of the RSVP, and the booking with
 * its position in the waitlist, which is slow for many events.
 */
export async function listViewerStatesOfRecords(
  db: Queryable,
  keys: ViewerStateKey[],
): Promise<ViewerStateOfRecord[]> {
  const states = sql`
    select event_id, user_id, 'rsvp' as source, status, coalesce(extra_guests, 0)::int as extra_guests,
      coalesce(is_hidden, false) as is_hidden, null::uuid as id, null::int as seats, null::int as position, created_at
    from rsvps
    union all
    select event_id, user_id, 'save', null, null, null, null, null, null, created_at from saves
    union all
    select b.event_id, b.user_id, 'booking', b.status, null, null, b.id, b.seats, ${waitlistPosition(keys)}, b.created_at
    from bookings b
    union all
    select subject_id, user_id, 'request', status, null, null, null, null, null, created_at from requests
    where status <> 'approved'`;
  const rows = await db.query<OwnRow>(sql`
    select k.nth::int as n, t.source, t.status, t.extra_guests, t.is_hidden, t.id, t.seats, t.position, t.created_at
    from ${rowsOf({ rows: states, as: 't' }, keys, viewerStateKey)}`);
  const found = Map.groupBy(rows, ({ n }) => n);
  return keys.map((_, i) => (found.get(i + 1) ?? []).reduce(withOwnRow, noViewerStateOfRecord));
}

function withOwnRow(own: ViewerStateOfRecord, row: OwnRow): ViewerStateOfRecord {
  if (row.source === 'save') return { ...own, isSaved: true };
  if (row.source === 'request') return { ...own, myRequest: row.status };
  if (row.source === 'rsvp')
    return { ...own, myRsvp: row.status, myExtraGuests: row.extraGuests, isRsvpHidden: row.isHidden };
  const { id, seats, position, createdAt } = row;
  return { ...own, booking: { id, seats, position, createdAt } };
}

export const noViewerStateOfRecord: ViewerStateOfRecord = {
  ...noViewerState,
  myExtraGuests: 0,
  isRsvpHidden: false,
  myRequest: null,
  booking: null,
};
