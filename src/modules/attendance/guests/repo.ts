/** SQL of guest lists. */
import { minId } from '#base';
import { type Database, empty, isOneOf, type Queryable, raw, sql } from '#pg';
import type { Viewer } from '../../../identity/caller.ts';
import type { Rsvp } from '../../events/repo.ts';
import { listShownPeople, type ShownPerson } from '../../events/shown-people.ts';

/** A person with an RSVP. */
export type GuestRow = ShownPerson & Omit<GuestRsvp, 'userId'>;

type GuestQuery = {
  eventId: string;
  viewer: Viewer | null;
  /** The viewer sees all guests except suspended people, as organizers do. */
  seesAll: boolean;
  status: Rsvp | undefined;
  /** The guest at the end of the previous page; null for the first page. */
  after: { status: Rsvp; id: string } | null;
  limit: number;
};

/**
 * Of a page, the guests that the viewer may not see are few. If they are many, further reads follow, each of twice as many
 * rows up to a maximum: an event may have thousands of guests who hide.
 */
const [extraRows, maxRows] = [20, 2_000];

/**
 * Lists the guests of an event: those who are going, then those who are interested, each by the age of their
 * accounts. The index rsvps_by_status has this order, so the cost is that of the guests of the page and of the
 * guests between them that the viewer may not see. A cursor never contains a person that the viewer may not see.
 */
export async function listGuests(
  db: Database,
  { eventId, viewer, seesAll, status, after, limit }: GuestQuery,
): Promise<GuestRow[]> {
  const guests: GuestRow[] = [];
  let position = after;
  for (let count = limit + extraRows; ; count = Math.min(2 * count, maxRows)) {
    const rsvps = await listRsvpsAfter(db, { eventId, status, after: position, limit: count });
    const people = await listShownPeople(db, { id: viewer?.id ?? null, seesAll }, rsvps);
    for (const rsvp of rsvps) {
      const person = people.get(rsvp.userId);
      if (person) guests.push({ ...person, ...rsvp });
    }
    const last = rsvps.at(-1);
    if (guests.length >= limit || rsvps.length < count || !last) return guests.slice(0, limit);
    position = { status: last.status, id: last.userId };
  }
}

/** Guests of an event by their ids, as the organizer sees them, in any order. */
export async function findGuests(
  db: Queryable,
  { eventId, viewer, userIds }: { eventId: string; viewer: Viewer; userIds: string[] },
): Promise<GuestRow[]> {
  const rsvps = await db.query<GuestRsvp>(sql`
    select ${rsvpColumns} from rsvps where event_id = ${eventId} and ${isOneOf(sql`user_id`, userIds)}`);
  const people = await listShownPeople(db, { id: viewer.id, seesAll: true }, rsvps);
  return rsvps.flatMap((rsvp) => {
    const person = people.get(rsvp.userId);
    return person ? [{ ...person, ...rsvp }] : [];
  });
}

type GuestRsvp = { userId: string; status: Rsvp; extraGuests: number; isHidden: boolean; createdAt: Date };

const rsvpColumns = raw(
  'user_id, status, coalesce(extra_guests, 0) as extra_guests, coalesce(is_hidden, false) as is_hidden, created_at',
);

const listRsvpsAfter = (
  db: Database,
  { eventId, status, after, limit }: Pick<GuestQuery, 'eventId' | 'status' | 'after' | 'limit'>,
): Promise<GuestRsvp[]> =>
  db.query<GuestRsvp>(sql`
    select ${rsvpColumns} from rsvps
    where event_id = ${eventId} and (status, user_id) > (${after?.status ?? ''}, ${after?.id ?? minId}::uuid)
      ${status ? sql`and status = ${status}` : empty}
    order by status, user_id
    limit ${limit}`);
