/** The claims of a person on the events that the person may see. */
import { type Database, sql } from '#pg';
import type { Viewer } from '../../../identity/caller.ts';
import { visibleCondition } from '../../events/policy.ts';
import type { EventRow } from '../../events/present.ts';
import { lastPosition } from '../../events/start-pages.ts';
import type { ClaimRow, ItemRow } from '../present.ts';

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
