/** SQL of guest lists. */
import type { Database } from '../../db/client.ts';
import { empty, sql } from '../../db/sql.ts';
import type { Viewer } from '../../identity/caller.ts';
import { minId } from '../../lib/ids.ts';
import { isShownTo } from '../events/audience.ts';
import type { Rsvp } from '../events/repo.ts';
import type { PersonRow } from '../users/present.ts';

/** A person with an RSVP. `isFollowing`: whether the viewer follows the person. */
export type GuestRow = PersonRow & {
  isPrivate: boolean;
  isFollowing: boolean;
  status: Rsvp;
  extraGuests: number;
  isHidden: boolean;
  createdAt: Date;
};

export type GuestQuery = {
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
 * Lists the guests of an event: those who are going, then those who are interested, each by the age of their
 * accounts. The index rsvps_by_status has this order, so the cost is that of the guests of the page and of the
 * guests between them that the viewer may not see. All rules are in the statement: a cursor never contains a
 * person that the viewer may not see.
 */
export async function listGuests(
  db: Database,
  { eventId, viewer, seesAll, status, after, limit }: GuestQuery,
): Promise<GuestRow[]> {
  const viewerId = sql`${viewer?.id ?? null}::uuid`;
  return db.query<GuestRow>(sql`
    select u.id, u.name, u.username, u.bio, u.avatar_upload, u.is_private, coalesce(v.follows, false) as is_following,
      r.status, coalesce(r.extra_guests, 0) as extra_guests, coalesce(r.is_hidden, false) as is_hidden, r.created_at
    from rsvps r
    join users u on u.id = r.user_id
    left join relations v on v.user_id = ${viewerId} and v.other_id = r.user_id
    where r.event_id = ${eventId} and (r.status, r.user_id) > (${after?.status ?? ''}, ${after?.id ?? minId}::uuid)
      ${status ? sql`and r.status = ${status}` : empty}
      and u.suspended_at is null ${seesAll ? empty : sql`and ${isShownTo(viewerId)}`}
    order by r.status, r.user_id
    limit ${limit}`);
}
