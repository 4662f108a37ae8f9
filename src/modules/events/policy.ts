/** Visibility of events: by id (visible) and in lists (listed), in TypeScript and as conditions on `events e`. */

import { type Statement, sql } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { isOrganizer } from './audience.ts';
import type { EventRow } from './present.ts';

/** What was decided about a person at an event, in `event_people`. */
export type Standing = { isInvited: boolean; isApproved: boolean; isRemoved: boolean };

/** `Standing` as columns of `event_people p`, which a statement joins by an outer join: people without a row have no standing. */
export const standingColumns = (): Statement => sql`
  coalesce(p.is_invited, false) as is_invited, coalesce(p.is_approved, false) as is_approved,
  coalesce(p.is_removed, false) as is_removed`;

/**
 * Whether the viewer may see an event by its id. A private event and a hidden one, which an admin hid or whose organizer is
 * suspended, are visible to the organizer and to admins; a private one to invited people and to its guests without an account too.
 * A suspended organizer has no session that reads events.
 * @param viewer null for a request without a token
 */
export function isVisible(
  event: Pick<EventRow, 'visibility' | 'organizerId' | 'hidden'>,
  viewer: Viewer | null,
  { isInvited }: Pick<Standing, 'isInvited'> = { isInvited: false },
): boolean {
  if (viewer?.role === 'admin' || event.organizerId === viewer?.id) return true;
  const isInside = isInvited || viewer?.hasAccount === false;
  return !event.hidden && (event.visibility !== 'private' || isInside);
}

/** `isVisible` as a condition on `events e`: true, or false or null. */
export const visibleCondition = (viewer: Viewer | null): Statement =>
  visibleToCondition(sql`${viewer?.role === 'admin'}`, sql`${viewer?.id ?? null}::uuid`);

/**
 * `isVisible` as a condition on `events e`, for statements with several viewers.
 * @param isAdmin SQL expression: whether the viewer is an admin
 * @param viewerId SQL expression: the viewer's id
 */
const visibleToCondition = (isAdmin: Statement, viewerId: Statement): Statement => sql`
  (${isAdmin} or e.organizer_id = ${viewerId} or not e.hidden and (e.visibility <> 'private' or e.id in (
    select event_id from event_people where user_id = ${viewerId} and is_invited
    union all select guest_of from users where id = ${viewerId} and guest_of is not null)))`;

/** Whether lists show an event. */
export const isListed = (event: Pick<EventRow, 'visibility' | 'status' | 'hidden'>): boolean =>
  event.visibility === 'public' && event.status === 'scheduled' && !event.hidden;

/** `isListed` as a condition on `events e`. The partial indexes of `events` have the same condition. */
export const listedCondition = (): Statement =>
  sql`e.visibility = 'public' and e.status = 'scheduled' and not e.hidden`;

/** @throws Problem `not_organizer` unless the viewer organizes the event or is an admin */
export function requireOrganizer(event: { organizerId: string }, viewer: Viewer): void {
  if (!isOrganizer(event, viewer)) throw new Problem('not_organizer');
}
