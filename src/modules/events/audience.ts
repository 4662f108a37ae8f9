/**
 * Who may see the people of an event: its guests (`guestListVisibility`), and who brings what
 * (`claimantVisibility`). `belongsToAudience` decides whether a viewer sees people; shown-people.ts which of them.
 */
import { createLoader, type Database, type Queryable, rowsOf, sql } from '#pg';
import type { Viewer } from '../../identity/caller.ts';

/**
 * `guests`: people with an RSVP, a booking, a place in the waitlist or a claim. Each audience includes those
 * before it.
 */
export const audiences = ['organizer', 'guests', 'everyone'] as const;
export type Audience = (typeof audiences)[number];

/** Whether the viewer organizes the event or is an admin. They see all people of an event. */
export const isOrganizer = ({ organizerId }: { organizerId: string }, viewer: Viewer | null): boolean =>
  viewer !== null && (viewer.id === organizerId || viewer.role === 'admin');

type GuestKey = { eventId: string; userId: string };
/** Whether a person is a guest of an event. */
export type GuestCheck = (key: GuestKey) => Promise<boolean>;

/** @param viewer null for a request without a token */
export async function belongsToAudience(
  audience: Audience,
  event: { id: string; organizerId: string },
  viewer: Viewer | null,
  isGuest: GuestCheck,
): Promise<boolean> {
  if (audience === 'everyone' || isOrganizer(event, viewer)) return true;
  return audience === 'guests' && viewer !== null && isGuest({ eventId: event.id, userId: viewer.id });
}

export const createGuestCheck = (db: Database): GuestCheck =>
  createLoader((keys: GuestKey[]) => listAreGuests(db, keys), {
    keyOf: ({ eventId, userId }) => eventId + userId,
  });

/** As the check of `createGuestCheck`, in a transaction: what it finds was committed before the call. */
export async function findIsGuest(db: Queryable, key: GuestKey): Promise<boolean> {
  const [isGuest = false] = await listAreGuests(db, [key]);
  return isGuest;
}

/** Whether people are guests of events, one for each key. */
export async function listAreGuests(db: Queryable, keys: GuestKey[]): Promise<boolean[]> {
  const guestRows = sql`
    select event_id, user_id from rsvps
    union all select event_id, user_id from bookings
    union all select event_id, user_id from claims`;
  const rows = await db.query<{ n: number }>(sql`
    select distinct k.nth::int as n
    from ${rowsOf({ rows: guestRows, as: 'g' }, keys, { eventId: 'uuid', userId: 'uuid' })}`);
  const guests = new Set(rows.map(({ n }) => n));
  return keys.map((_, i) => guests.has(i + 1));
}
