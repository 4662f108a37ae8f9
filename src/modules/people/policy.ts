/** Who may see a profile, and what hangs on it: lists of followers and of events. */
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import type { ProfileRow, RelationRow } from './present.ts';
import type { Profiles } from './profiles.ts';
import type { SeenProfile } from './repo.ts';

/**
 * The person, and what the viewer has to do with them (null without a viewer, or where there is nothing).
 * @throws Problem `user_not_found`, `profile_private`
 */
export async function requireProfile(
  profiles: Profiles,
  id: string,
  viewer: Viewer | null,
): Promise<SeenProfile> {
  const profile = await profiles.find({ id, viewerId: viewer?.id ?? null });
  if (!profile || (profile.row.isSuspended && viewer?.role !== 'admin')) throw new Problem('user_not_found');
  if (!maySeeProfile(profile.row, viewer, profile.relation)) throw new Problem('profile_private');
  return profile;
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
