/** The events in which a person takes part, as far as the person may see them. */
import { type Database, sql } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { visibleCondition } from '../events/policy.ts';
import { type Position, type Slice, selectByStart } from '../events/start-pages.ts';

/** How a person takes part in an event. */
export const eventRelations = ['organizing', 'going', 'interested', 'saved'] as const;
type EventRelation = (typeof eventRelations)[number];

/**
 * The visible events in which the viewer takes part; `isPrivate`: the viewer organizes it, is an admin, or is invited. For `organizing`, the index events_by_organizer has the
 * order of the list. For the other relations, the statement reads each event once (rsvps_of_user,
 * saves_by_user).
 */
export async function listOwnEvents(
  db: Database,
  viewer: Viewer,
  relation: EventRelation,
  slice: Slice,
): Promise<(Position & { isPrivate: boolean })[]> {
  const { id } = viewer;
  const from = {
    organizing: sql`events e where e.organizer_id = ${id}`,
    going: sql`rsvps r join events e on e.id = r.event_id where r.user_id = ${id} and r.status = 'going'`,
    interested: sql`rsvps r join events e on e.id = r.event_id where r.user_id = ${id} and r.status = 'interested'`,
    saved: sql`saves s join events e on e.id = s.event_id where s.user_id = ${id}`,
  }[relation];
  const columns = sql`e.id, e.start_at, e.visibility = 'private' as is_private`;
  return await db.query<Position & { isPrivate: boolean }>(
    selectByStart(columns, sql`${from} and ${visibleCondition(viewer)}`, slice),
  );
}
