/** Pages of people around a person: followers, following, blocked. */
import { type Static, Type } from 'typebox';
import { minId } from '#base';
import { isOneOf, sql } from '#pg';
import { cursorPage, cursorQuery, readCursor, toPage } from '../../../http/cursors.ts';
import type { Viewer } from '../../../identity/caller.ts';
import { type FoundRow, toFoundUser } from '../present.ts';
import { foundColumns } from '../repo.ts';
import { FoundUser } from '../schemas.ts';
import type { PeopleServices } from '../services.ts';

export const PeopleQuery = Type.Object(cursorQuery);
export const PeoplePage = cursorPage(FoundUser);

/** Each relation has an index of its own (relations_followers, relations_follows, relations_blocks). */
const conditions = { followers: sql`followed_by`, following: sql`follows`, blocks: sql`blocks` };

/**
 * The followers of a person, the people whom the person follows, or whom the person blocked, in order of id. People
 * between whom and the viewer there is a block are left out, except from the viewer's own list of blocks, and
 * suspended people always.
 */
export async function listRelatedPeople(
  { db, config, profiles }: PeopleServices,
  userId: string,
  relation: keyof typeof conditions,
  viewer: Viewer | null,
  { cursor, limit }: Static<typeof PeopleQuery>,
) {
  const after = readCursor(cursor, 'id')?.[0] ?? minId;
  const hidden = viewer && relation !== 'blocks' ? await profiles.hiddenFrom(viewer.id) : [];
  const found = await db.query<{ id: string }>(sql`
    select other_id as id from relations
    where user_id = ${userId} and ${conditions[relation]} and other_id > ${after}::uuid
      and other_id <> all(${hidden}::uuid[])
    order by other_id limit ${limit + 1}`);
  const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
  const ids = rows.map(({ id }) => id);
  const people = await db.query<FoundRow>(sql`
    select ${foundColumns(viewer?.id ?? null)} from users u
    where ${isOneOf(sql`u.id`, ids)} and u.suspended_at is null
    order by u.id`);
  return { data: people.map((row) => toFoundUser(row, config.publicUrl)), nextCursor };
}
