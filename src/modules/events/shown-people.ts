/** Which of the people of an event a viewer sees: those on guest lists, and those who bring something. */
import { isOneOf, type Queryable, sql } from '#pg';
import type { PersonRow } from '../people/present.ts';

/** `seesAll`: as organizers and admins do, who see all people except suspended ones. */
type PeopleViewer = { id: string | null; seesAll: boolean };
/** A person of an event. `isHidden`: of the RSVP; null for people without an RSVP, whom only organizers see. */
export type EventPerson = { userId: string; isHidden: boolean | null };
/** `isAdded`: whether the organizer added the person. `isFollowing`: whether the viewer follows the person. */
export type ShownPerson = PersonRow & { isPrivate: boolean; isAdded: boolean; isFollowing: boolean };

type Relation = { otherId: string; follows: boolean; followedBy: boolean; isBlocked: boolean };

/**
 * Reads the people whom a viewer sees. An RSVP that is hidden, a block in either direction, and a private profile that
 * the viewer may not see exclude a person, except for organizers.
 * @returns the people by id
 */
export async function listShownPeople(
  db: Queryable,
  viewer: PeopleViewer,
  people: EventPerson[],
): Promise<Map<string, ShownPerson>> {
  const ids = [...new Set(people.map(({ userId }) => userId))];
  if (ids.length === 0) return new Map();
  const [rows, relations] = await Promise.all([
    db.query<PersonRow & { isPrivate: boolean; isAdded: boolean }>(sql`
      select id, name, username, bio, avatar_upload, is_private, is_added, guest_of is null as has_account from users
      where ${isOneOf(sql`id`, ids)} and suspended_at is null`),
    viewer.id === null ? [] : listRelations(db, viewer.id, ids),
  ]);
  const hidden = new Set(people.flatMap(({ userId, isHidden }) => (isHidden === false ? [] : [userId])));
  const relationOf = new Map(relations.map((relation) => [relation.otherId, relation]));
  const isShown = ({ id, isPrivate }: { id: string; isPrivate: boolean }): boolean => {
    if (viewer.seesAll) return true;
    const relation = relationOf.get(id);
    if (hidden.has(id) || relation?.isBlocked) return false;
    return !isPrivate || id === viewer.id || relation?.followedBy === true;
  };
  return new Map(
    rows
      .filter(isShown)
      .map((row) => [row.id, { ...row, isFollowing: relationOf.get(row.id)?.follows ?? false }]),
  );
}

const listRelations = (db: Queryable, userId: string, otherIds: string[]): Promise<Relation[]> =>
  db.query<Relation>(sql`
    select other_id, follows, followed_by, blocks or blocked_by as is_blocked from relations
    where user_id = ${userId} and ${isOneOf(sql`other_id`, otherIds)}`);
