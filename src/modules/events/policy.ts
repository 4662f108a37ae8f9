/** Who may see an event by its id, and who may change it; the lists show less. */

import { type Statement, sql } from '../../db/sql.ts';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import type { EventRow } from './present.ts';

/**
 * A private event is a draft: it is there for its organizer and for admins. One that is hidden, because its organizer is
 * suspended, is there for admins alone.
 */
export function isVisible(
  event: Pick<EventRow, 'visibility' | 'organizerId' | 'hidden'>,
  viewer: Viewer | null,
): boolean {
  if (viewer?.role === 'admin') return true;
  return !event.hidden && (event.visibility !== 'private' || event.organizerId === viewer?.id);
}

/** The same as a condition on `events e`: true, or not (null where there is no viewer to compare with). */
export function visibleCondition(viewer: Viewer | null) {
  const isAdmin = viewer?.role === 'admin';
  return visibleConditionFor(sql`${isAdmin}`, sql`${viewer?.id ?? null}::uuid`);
}

/** The same for a viewer whose role and id are SQL expressions. */
export const visibleConditionFor = (isAdmin: Statement, userId: Statement) => sql`
  (${isAdmin} or not e.hidden and (e.visibility <> 'private' or e.organizer_id = ${userId}))`;

/** Lists show these and no others. */
export const isListed = (event: Pick<EventRow, 'visibility' | 'status' | 'hidden'>): boolean =>
  event.visibility === 'public' && event.status === 'scheduled' && !event.hidden;

/** @throws Problem `not_organizer` unless the viewer organizes the event or is an admin */
export function requireOrganizer({ organizerId }: { organizerId: string }, viewer: Viewer): void {
  if (organizerId !== viewer.id && viewer.role !== 'admin') throw new Problem('not_organizer');
}
