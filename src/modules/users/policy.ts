/** Who may see a profile, and what hangs on it: lists of followers and of events. */
import type { Database } from '../../db/client.ts';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import type { ProfileRow, RelationRow } from './present.ts';
import { findProfile, findRelation } from './repo.ts';

/**
 * The person, and what the viewer has to do with them (null without a viewer, or where there is nothing).
 * @throws Problem `user_not_found`, `profile_private`
 */
export async function requireProfile(
  db: Database,
  id: string,
  viewer: Viewer | null,
): Promise<{ row: ProfileRow; relation: RelationRow | null }> {
  const row = await findProfile(db, id);
  if (!row || (row.isSuspended && viewer?.role !== 'admin')) throw new Problem('user_not_found');
  const relation = viewer && (await findRelation(db, viewer.id, id));
  if (!maySeeProfile(row, viewer, relation)) throw new Problem('profile_private');
  return { row, relation };
}

/** `relation`: the viewer's view of the person. */
function maySeeProfile(
  row: Pick<ProfileRow, 'id' | 'isPrivate'>,
  viewer: Viewer | null,
  relation: Pick<RelationRow, 'followedBy'> | null,
): boolean {
  if (!row.isPrivate || viewer?.id === row.id || viewer?.role === 'admin') return true;
  return relation?.followedBy ?? false;
}
