/**
 * Who may see the people of an event: its guests (`guestListVisibility`), and who brings what
 * (`claimantVisibility`). `belongsToAudience` decides whether a viewer sees people; `isShownTo` which of them.
 */
import { createLoader } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import { type Statement, sql } from '../../db/sql.ts';
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

async function listAreGuests(db: Database, keys: GuestKey[]): Promise<boolean[]> {
  const rows = await db.query<{ isGuest: boolean }>(sql`
    select exists (select 1 from rsvps r where r.event_id = k.event_id and r.user_id = k.user_id)
      or exists (select 1 from bookings b where b.event_id = k.event_id and b.user_id = k.user_id)
      or exists (select 1 from claims c where c.event_id = k.event_id and c.user_id = k.user_id) as is_guest
    from unnest(${keys.map(({ eventId }) => eventId)}::uuid[], ${keys.map(({ userId }) => userId)}::uuid[])
      with ordinality k (event_id, user_id, n)
    order by k.n`);
  return rows.map(({ isGuest }) => isGuest);
}

/**
 * SQL condition: whether a viewer who is neither organizer nor admin sees a person with an RSVP. The RSVP's
 * `isHidden`, a block in either direction, and a private profile that the viewer may not see exclude a person.
 * Requires `rsvps r`, `users u` and, left-joined, the relation `v` of the viewer to the person.
 * @param viewerId SQL expression: the viewer's id; null without a token
 */
export const isShownTo = (viewerId: Statement): Statement => sql`
  (r.is_hidden is not true and not coalesce(v.blocks or v.blocked_by, false)
    and (not u.is_private or coalesce(u.id = ${viewerId} or v.followed_by, false)))`;
