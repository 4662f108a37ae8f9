import { contentHash, versionOf, weakTag } from '../../../http/conditional.ts';
import { avatarUrl } from '../../people/present.ts';
import { type ProfileFields, valuesOf } from './profile-fields.ts';
import type { Me } from './schemas.ts';

/** The caller's own account. `avatarUpload`: null for the generated avatar. */
export type MeRow = Omit<Me, 'avatar'> & { avatarUpload: string | null };

/** What the owner of a profile sets, as a row has it. */
export type StoredProfile = ProfileFields & Pick<MeRow, 'avatarUpload'>;

/** The version of a profile, for `If-Match`: it changes with the fields that its owner sets. */
export const versionOfMe = (row: StoredProfile): string => versionOf([...valuesOf(row), row.avatarUpload]);

/** The ETag of the own account begins with the version of the profile. */
export const etagOfMe = (row: MeRow): string => weakTag(versionOfMe(row) + contentHash(JSON.stringify(row)));

/** The response that has the own account, with its ETag. */
export const meResponse = (row: MeRow, { publicUrl }: { publicUrl: string }) => ({
  status: 200 as const,
  body: toMe(row, publicUrl),
  headers: { etag: etagOfMe(row) },
});

export const toMe = ({ avatarUpload, ...row }: MeRow, publicUrl: string): Me => ({
  ...row,
  avatar: avatarUrl(publicUrl, { id: row.id, avatarUpload }),
});
