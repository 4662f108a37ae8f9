import { isDeepStrictEqual } from 'node:util';
import {
  byPosition,
  isOneOf,
  joinedBy,
  one,
  type Queryable,
  rowsOf,
  type Statement,
  sql,
  type Transaction,
} from '#pg';
import { Problem } from '../../lib/errors.ts';
import { type Cause, insertCauses } from '../../outbox/causes.ts';
import type { PersonRow, ProfileRow, RelationRow } from './present.ts';
import { keyOfPair, lockPairs, pairOf } from './relations/locks.ts';

/** A profile and who asks for it; null without a viewer. */
export type ProfileKey = { id: string; viewerId: string | null };
/** `relation`: what the viewer has to do with the person; null without a viewer, or where there is nothing. */
export type SeenProfile = { row: ProfileRow; relation: RelationRow | null };

/** One for each key, in their order; null for an unknown person, and for a guest without an account, who has no counters. */
export async function listProfiles(db: Queryable, keys: ProfileKey[]): Promise<(SeenProfile | null)[]> {
  type Row = ProfileRow & { [P in keyof RelationRow]: RelationRow[P] | null } & { nth: number };
  // The person's side of the relation, which is beside the account on a cluster.
  const rows = await db.query<Row>(sql`
    select k.nth::int, u.id, u.name, u.username, u.bio, u.avatar_upload, u.is_private, true as has_account,
      u.suspended_at is not null as is_suspended, c.followers_count, c.following_count, c.events_count,
      r.follows, r.followed_by, r.blocks, r.blocked_by
    from ${rowsOf('users u', keys, { id: 'uuid' }, { viewerId: 'uuid' })}
    join user_counters c on c.user_id = u.id
    left join relations r on r.user_id = ${joinedBy('u', 'id')} and r.other_id = k.viewer_id`);
  return byPosition(rows, keys.length).map((row) => {
    if (!row) return null;
    return { row, relation: row.follows === null ? null : mirrored(row as RelationRow) };
  });
}

/** A person with the version of the record in the change log. */
export type VersionedPerson = PersonRow & { version: number };

/** People by id, in any order; what is not there is left out. */
export async function listPeople(db: Queryable, ids: string[]): Promise<VersionedPerson[]> {
  return await db.query<VersionedPerson>(sql`
    select id, name, username, bio, avatar_upload, guest_of is null as has_account, version::float8 as version from users
    where ${isOneOf(sql`id`, ids)}`);
}

/** The columns of `FoundRow`, of `users u`. The person's side of a relation is beside the account on a cluster. */
export const foundColumns = (viewerId: Statement | string | null): Statement => sql`
  u.id, u.name, u.username, u.bio, u.avatar_upload, u.is_private, u.guest_of is null as has_account, exists (
    select 1 from relations r where r.user_id = u.id and r.other_id = ${viewerId} and r.followed_by
  ) as is_following`;

/**
 * Applies `change` to the relation between two people, and updates the counters of both by the difference.
 *
 * Right under any concurrency: the accounts and the relation are locked (deletion waits, or is seen here as a 404), and the
 * counters move by the difference between what was there and what is written.
 * @throws Problem `user_not_found`, and whatever `change` throws
 * @returns the other person's new number of followers
 */
export async function changeRelation(
  tx: Transaction,
  me: string,
  other: string,
  change: (relation: RelationRow, tx: Transaction) => RelationRow | Promise<RelationRow>,
): Promise<number> {
  const pair = pairOf(me, other);
  const locked = (await lockPairs(tx, [pair], true)).get(keyOfPair(pair));
  const shown = await tx.query(sql`select 1 from users where id = ${other} and suspended_at is null`);
  if (!locked || shown.length === 0) throw new Problem('user_not_found');
  const before = pair.first === me ? locked : mirrored(locked);
  const after = await change(before, tx);
  if (isNothing(after)) {
    const both = [me, other];
    await tx.query(
      sql`delete from relations where user_id = any(${both}::uuid[]) and other_id = any(${both}::uuid[])`,
    );
  } else if (!isDeepStrictEqual(before, after)) {
    await writeRelation(tx, me, other, after);
  }
  const follows = Number(after.follows) - Number(before.follows);
  const followed = Number(after.followedBy) - Number(before.followedBy);
  // In the order in which the counters are locked.
  const moves = [
    { userId: me, actorId: other, followers: followed, following: follows },
    { userId: other, actorId: me, followers: follows, following: followed },
  ].sort((a, b) => (a.userId < b.userId ? -1 : 1));
  for (const { userId, followers, following } of moves) {
    if (followers !== 0 || following !== 0)
      await tx.query(sql`
        update user_counters set followers_count = followers_count + ${followers},
          following_count = following_count + ${following}
        where user_id = ${userId}`);
  }
  const causes = moves.map(({ userId, actorId, followers }): Cause => {
    return { userId, kind: 'follower', subjectId: actorId, actorId, amount: followers };
  });
  if (follows !== 0 || followed !== 0) await tx.execute(insertCauses(causes));
  const row = one(
    await tx.query<{ followersCount: number }>(sql`
    select followers_count from user_counters where user_id = ${other}`),
  );
  return row.followersCount;
}

async function writeRelation(tx: Transaction, me: string, other: string, mine: RelationRow): Promise<void> {
  const theirs = mirrored(mine);
  await tx.query(sql`
    insert into relations (user_id, other_id, follows, followed_by, blocks, blocked_by)
    values (${me}, ${other}, ${mine.follows}, ${mine.followedBy}, ${mine.blocks}, ${mine.blockedBy}),
      (${other}, ${me}, ${theirs.follows}, ${theirs.followedBy}, ${theirs.blocks}, ${theirs.blockedBy})
    on conflict (user_id, other_id) do update set follows = excluded.follows, followed_by = excluded.followed_by,
      blocks = excluded.blocks, blocked_by = excluded.blocked_by`);
}

const mirrored = (relation: RelationRow): RelationRow => ({
  follows: relation.followedBy,
  followedBy: relation.follows,
  blocks: relation.blockedBy,
  blockedBy: relation.blocks,
});

const isNothing = ({ follows, followedBy, blocks, blockedBy }: RelationRow): boolean =>
  !(follows || followedBy || blocks || blockedBy);
