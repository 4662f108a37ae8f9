import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import type { Viewer } from '../../identity/caller.ts';
import { visibleCondition } from '../events/policy.ts';
import { byStart, lastPosition, type Position, type Slice } from '../events/start-pages.ts';
import type { ClaimRow, ItemRow } from '../items/present.ts';

export const eventRelations = ['organizing', 'going', 'interested', 'saved'] as const;
export type EventRelation = (typeof eventRelations)[number];

/**
 * Events that somebody has to do with, as far as they may see them. What they organize is walked in order
 * (events_by_organizer); of what they answered or saved, each event is looked at once (rsvps_by_user, saves_by_user).
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
  Pick<ItemRow, 'title' | 'kind' | 'emoji'> & { eventTitle: string; startAt: Date };

/** Somebody's claims, the newest first, on events that they may see. Looks at each of their claims (claims_by_user). */
export async function listOwnClaims(
  db: Database,
  viewer: Viewer,
  after: string | null,
  limit: number,
): Promise<OwnClaimRow[]> {
  return await db.query<OwnClaimRow>(sql`
    select c.id, c.event_id, c.n, c.user_id, c.quantity, c.created_at, i.title, i.kind, i.emoji,
      e.title as event_title, e.start_at
    from claims c
    join items i on i.event_id = c.event_id and i.n = c.n
    join events e on e.id = c.event_id
    where c.user_id = ${viewer.id} and c.id < ${after ?? lastPosition.id}::uuid and ${visibleCondition(viewer)}
    order by c.id desc limit ${limit}`);
}
