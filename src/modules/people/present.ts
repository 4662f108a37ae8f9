/** People as they leave the server. */
import { uploadUrl } from '../uploads/present.ts';
import type { Person, Profile } from './schemas.ts';

export type PersonRow = Omit<Person, 'avatar'> & { bio: string; avatarUpload: string | null };
/** A person in a list, as a viewer sees them. */
export type FoundRow = PersonRow & { isPrivate: boolean; isFollowing: boolean };
export type ProfileRow = PersonRow &
  Pick<Profile, 'followersCount' | 'followingCount' | 'eventsCount'> & {
    isPrivate: boolean;
    isSuspended: boolean;
  };
/** What the viewer has to do with another person; all false for a stranger. */
export type RelationRow = { follows: boolean; followedBy: boolean; blocks: boolean; blockedBy: boolean };

/** The image that they chose, or the one that is drawn for them. */
export const avatarUrl = (publicUrl: string, person: Pick<PersonRow, 'id' | 'avatarUpload'>): string =>
  person.avatarUpload
    ? uploadUrl(publicUrl, person.avatarUpload)
    : `${publicUrl}/v1/users/${person.id}/avatar.svg`;

/** As they are named in lists of other things. */
export const toPerson = (row: PersonRow, publicUrl: string): Person => ({
  id: row.id,
  name: row.name,
  username: row.username,
  avatar: avatarUrl(publicUrl, row),
  hasAccount: row.hasAccount,
});

export const toFoundUser = (row: FoundRow, publicUrl: string) => ({
  ...toPerson(row, publicUrl),
  bio: row.isPrivate ? '' : row.bio,
  isFollowing: row.isFollowing,
});

export const toProfile = (row: ProfileRow, relation: RelationRow | null, publicUrl: string): Profile => ({
  ...row,
  avatar: avatarUrl(publicUrl, row),
  isFollowing: relation?.follows ?? false,
  isBlocked: relation?.blocks ?? false,
});
