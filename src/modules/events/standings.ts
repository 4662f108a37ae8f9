/** What was decided about people at events, and which private events are visible to invited people. */
import { byPosition, createLoader, type Database, type Queryable, rowsOf, sql } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { isVisible, type Standing } from './policy.ts';
import type { EventRow } from './present.ts';

type PersonKey = { eventId: string; userId: string };

/** Whether a person is invited to an event. */
export type InvitedCheck = (key: PersonKey) => Promise<boolean>;

export const createInvitedCheck = (db: Database): InvitedCheck =>
  createLoader((keys: PersonKey[]) => listAreInvited(db, keys), {
    keyOf: ({ eventId, userId }) => eventId + userId,
  });

const none: Standing = { isInvited: false, isApproved: false, isRemoved: false };

/** Lists what was decided about people at events, one for each key in their order. */
async function listStandings(db: Queryable, keys: PersonKey[]): Promise<Standing[]> {
  if (keys.length === 0) return [];
  const rows = await db.query<Standing & { nth: number }>(sql`
    select k.nth::int, p.is_invited, p.is_approved, p.is_removed
    from ${rowsOf('event_people p', keys, { eventId: 'uuid', userId: 'uuid' })}`);
  return byPosition(rows, keys.length).map((row) => row ?? none);
}

/** What was decided about a viewer of an event. @param viewer null for a request without a token */
export async function findStanding(
  db: Queryable,
  eventId: string,
  viewer: { id: string } | null,
): Promise<Standing> {
  const [standing = none] = await listStandings(db, viewer ? [{ eventId, userId: viewer.id }] : []);
  return standing;
}

/** Whether people are invited to events, one for each key in their order. */
export const listAreInvited = async (db: Queryable, keys: PersonKey[]): Promise<boolean[]> =>
  (await listStandings(db, keys)).map(({ isInvited }) => isInvited);

/** Of some people, those whom organizers removed from the events. */
export async function findRemoved(db: Queryable, people: PersonKey[]): Promise<PersonKey[]> {
  const standings = await listStandings(db, people);
  return people.filter((_, i) => standings[i]?.isRemoved);
}

/** @throws Problem `removed_from_event` */
export async function requireNotRemoved(db: Queryable, { eventId, userId }: PersonKey): Promise<void> {
  if ((await findStanding(db, eventId, { id: userId })).isRemoved) throw new Problem('removed_from_event');
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

/** As the check of `createInvitedCheck`, in a transaction. */
export const invitedIn =
  (db: Queryable): InvitedCheck =>
  async ({ eventId, userId }) =>
    (await findStanding(db, eventId, { id: userId })).isInvited;
