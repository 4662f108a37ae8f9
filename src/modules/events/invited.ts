/** Whether people are invited to events, by which private ones are visible to them. */
import { createLoader, type Database, type Queryable, rowsOf, sql } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { isVisible } from './policy.ts';
import type { EventRow } from './present.ts';

type PersonKey = { eventId: string; userId: string };

/** Whether a person is invited to an event. */
export type InvitedCheck = (key: PersonKey) => Promise<boolean>;

export const createInvitedCheck = (db: Database): InvitedCheck =>
  createLoader((keys: PersonKey[]) => listAreInvited(db, keys), {
    keyOf: ({ eventId, userId }) => eventId + userId,
  });

/** Whether people are invited to events, one for each key in their order. */
export async function listAreInvited(db: Queryable, keys: PersonKey[]): Promise<boolean[]> {
  if (keys.length === 0) return [];
  const rows = await db.query<{ n: number }>(sql`
    select k.nth::int as n from ${rowsOf('event_people p', keys, { eventId: 'uuid', userId: 'uuid' })}
    where p.is_invited`);
  const invited = new Set(rows.map(({ n }) => n));
  return keys.map((_, i) => invited.has(i + 1));
}

type Shown = Pick<EventRow, 'visibility' | 'organizerId' | 'hidden'>;

/**
 * Whether the viewer may see an event. An unknown event is looked up among the invitations too: the response to a private one
 * takes as long, so it does not tell that the event exists.
 */
export async function isVisibleTo<E extends Shown>(
  isInvited: InvitedCheck,
  eventId: string,
  event: E | null | undefined,
  viewer: Viewer | null,
): Promise<boolean> {
  if (event && isVisible(event, viewer)) return true;
  const standing = { isInvited: viewer !== null && (await isInvited({ eventId, userId: viewer.id })) };
  return event ? isVisible(event, viewer, standing) : false;
}

/** As `isVisibleTo`, for one event in a transaction. */
export const invitedIn =
  (db: Queryable): InvitedCheck =>
  async (key) =>
    (await listAreInvited(db, [key]))[0] ?? false;
