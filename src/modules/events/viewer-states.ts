/** The viewer's own fields of events: RSVP, saved flag and booking. Concurrent requests share statements. */
import { createLoader, type Database, type Queryable, rowsOf, sql } from '#pg';
import { listPeople } from '../people/repo.ts';
import type { MyBooking, MyInvitation, ViewerState, ViewerStateOfRecord } from './present.ts';
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

export const noViewerState: ViewerState = { myRsvp: null, isSaved: false };

/** What a person has at an event, in one of these tables. */
type OwnRow = { n: number } & (
  | { source: 'rsvp'; status: Rsvp; extraGuests: number; isHidden: boolean }
  | { source: 'save' }
  | ({ source: 'booking' } & MyBooking)
  | { source: 'request'; status: OpenRequest }
  | { source: 'invitation'; id: string; status: MyInvitation['status']; invitation: InvitationDetails }
);

/** `isById`: of an account that was invited by its id; otherwise the person has answered by it. */
type InvitationDetails = Pick<MyInvitation, 'reply' | 'message'> & { inviterId: string; isById: boolean };

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
      coalesce(is_hidden, false) as is_hidden, null::uuid as id, null::int as seats, null::int as position, null::json as invitation, created_at
    from rsvps
    union all
    select event_id, user_id, 'save', null, null, null, null, null, null, null, created_at from saves
    union all
    select b.event_id, b.user_id, 'booking', b.status, null, null, b.id, b.seats, ${waitlistPosition(keys)}, null,
      b.created_at
    from bookings b
    union all
    select subject_id, user_id, ${invitationColumns} from invitations where user_id is not null
    union all
    select subject_id, guest_id, ${invitationColumns} from invitations where guest_id is not null
    union all
    select subject_id, user_id, 'request', status, null, null, null, null, null, null, created_at from requests
    where status <> 'approved'`;
  const rows = await db.query<OwnRow>(sql`
    select k.nth::int as n, t.source, t.status, t.extra_guests, t.is_hidden, t.id, t.seats, t.position, t.invitation, t.created_at
    from ${rowsOf({ rows: states, as: 't' }, keys, viewerStateKey)}`);
  const found = Map.groupBy(rows, ({ n }) => n);
  const invitations = await findInvitations(db, rows);
  return keys.map((_, i) => ({
    ...(found.get(i + 1) ?? []).reduce(withOwnRow, noViewerStateOfRecord),
    myInvitation: invitations.get(i + 1) ?? null,
  }));
}

const invitationColumns = sql`
  'invitation', status, null, null, id, null, null,
  json_build_object('reply', reply, 'message', message, 'inviterId', inviter_id, 'isById', is_by_id), created_at`;

/** One invitation for each key that has some, by its number: that by the person's id, or else the latest answered one. */
async function findInvitations(db: Queryable, rows: OwnRow[]): Promise<Map<number, MyInvitation>> {
  const invitations = rows
    .filter((row) => row.source === 'invitation')
    .toSorted((a, b) => Number(a.invitation.isById) - Number(b.invitation.isById) || (a.id < b.id ? -1 : 1));
  if (invitations.length === 0) return new Map();
  const people = await listPeople(db, [
    ...new Set(invitations.map(({ invitation }) => invitation.inviterId)),
  ]);
  return new Map(
    invitations.flatMap(({ n, id, status, invitation: { inviterId, reply, message } }) => {
      const invitedBy = people.find((person) => person.id === inviterId);
      return invitedBy ? [[n, { id, status, reply, message, invitedBy }] as const] : [];
    }),
  );
}

function withOwnRow(own: ViewerStateOfRecord, row: OwnRow): ViewerStateOfRecord {
  if (row.source === 'invitation') return own;
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
  myInvitation: null,
};
