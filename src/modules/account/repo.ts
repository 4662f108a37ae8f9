/** The events and claims of a person, as far as policy lets the person see them. */
import { type Database, sql } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { visibleCondition } from '../events/policy.ts';
import type { EventRow } from '../events/present.ts';
import { byStart, lastPosition, type Position, type Slice } from '../events/start-pages.ts';
import type { ClaimRow, ItemRow } from '../items/present.ts';
import type { EventRelation } from './schemas.ts';

/**
 * The visible events in which the viewer takes part. For `organizing`, the index events_by_organizer has the
 * order of the list. For the other relations, the statement reads each event once (rsvps_of_user,
 * saves_by_user).
 */
export async function listOwnEvents(
  db: Database,
  viewer: Viewer,
  relation: EventRelation,
  slice: Slice,
): Promise<Position[]> {
  const { id } = viewer;
  const from = {
    organizing: sql`events e where e.organizer_id = ${id}`,
    going: sql`rsvps r join events e on e.id = r.event_id where r.user_id = ${id} and r.status = 'going'`,
    interested: sql`rsvps r join events e on e.id = r.event_id where r.user_id = ${id} and r.status = 'interested'`,
    saved: sql`saves s join events e on e.id = s.event_id where s.user_id = ${id}`,
  }[relation];
  return await db.query<Position>(sql`
    select e.id, e.start_at from ${from} and ${visibleCondition(viewer)} ${byStart(slice)}`);
}

export type OwnClaimRow = ClaimRow &
  Pick<ItemRow, 'title' | 'kind' | 'emoji'> &
  Pick<EventRow, 'startAt' | 'endAt' | 'allDay' | 'timezone' | 'status'> & { eventTitle: string };

/**
 * The viewer's claims on visible events, newest first. Reads each of the viewer's claims (claims_by_user).
 * @param after the id of the last claim of the previous page; null for the first page
 */
export async function listOwnClaims(
  db: Database,
  viewer: Viewer,
  after: string | null,
  limit: number,
): Promise<OwnClaimRow[]> {
  return await db.query<OwnClaimRow>(sql`
    select c.id, c.event_id, c.n, c.user_id, c.quantity, c.note, c.created_at, i.title, i.kind, i.emoji,
      e.title as event_title, e.start_at, e.end_at, e.all_day, e.timezone, e.status
    from claims c
    join items i on i.event_id = c.event_id and i.n = c.n
    join events e on e.id = c.event_id
    where c.user_id = ${viewer.id} and c.id < ${after ?? lastPosition.id}::uuid and ${visibleCondition(viewer)}
    order by c.id desc limit ${limit}`);
}
