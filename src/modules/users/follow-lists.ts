import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import { minId } from '../../lib/ids.ts';
import type { PersonRow } from './present.ts';

export type Relation = 'followers' | 'following' | 'blocks';

/**
 * Lists the ids of the followers of a person, of the people whom the person follows, or whom the person
 * blocked, in order of id. Costs what the page shows: each kind has an index of its own (relations_followers,
 * relations_follows, relations_blocks).
 * @param hidden ids of people who are left out
 */
export async function listRelated(
  db: Database,
  userId: string,
  relation: Relation,
  hidden: string[],
  after: string | null,
  limit: number,
): Promise<{ id: string }[]> {
  const isOne = { followers: sql`followed_by`, following: sql`follows`, blocks: sql`blocks` }[relation];
  return await db.query<{ id: string }>(sql`
    select other_id as id from relations
    where user_id = ${userId} and ${isOne} and other_id > ${after ?? minId}::uuid
      and other_id <> all(${hidden}::uuid[])
    order by other_id limit ${limit}`);
}

/** People by id, by id; who is not there or suspended is left out. */
export async function listFound(
  db: Database,
  ids: string[],
): Promise<(PersonRow & { isPrivate: boolean })[]> {
  return await db.query<PersonRow & { isPrivate: boolean }>(sql`
    select id, name, username, bio, avatar_upload, is_private from users
    where id = any(${ids}::uuid[]) and suspended_at is null
    order by id`);
}
