/** Pages of people around a person: followers, following, blocked. */
import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery, readCursor, toPage } from '../../http/cursors.ts';
import { ref } from '../../http/schemas.ts';
import type { Viewer } from '../../identity/caller.ts';
import { listFound, listRelated, type Relation } from './follow-lists.ts';
import { toFoundUser } from './present.ts';
import { listFollowed, listHidden } from './repo.ts';
import { FoundUser } from './schemas.ts';
import type { UserServices } from './services.ts';

export const PeopleQuery = Type.Object(cursorQuery);
export const PeoplePage = cursorPage(ref(FoundUser));

/**
 * People between whom and the viewer there is a block are left out, except from the viewer's own list of
 * blocks.
 */
export async function listRelatedPeople(
  { db, config }: UserServices,
  userId: string,
  relation: Relation,
  viewer: Viewer | null,
  { cursor, limit }: Static<typeof PeopleQuery>,
) {
  const after = readCursor(cursor, 'id')?.[0] ?? null;
  const hidden = viewer && relation !== 'blocks' ? await listHidden(db, viewer.id) : [];
  const found = await listRelated(db, userId, relation, hidden, after, limit + 1);
  const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
  const ids = rows.map(({ id }) => id);
  const [people, followed] = await Promise.all([
    listFound(db, ids),
    viewer ? listFollowed(db, viewer.id, ids) : new Set<string>(),
  ]);
  return { data: people.map((row) => toFoundUser(row, followed.has(row.id), config.publicUrl)), nextCursor };
}
