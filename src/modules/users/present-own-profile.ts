import type { Me } from './own-profile-schemas.ts';
import { avatarUrl } from './present.ts';

/** The caller's own account. `avatarUpload`: null for the generated avatar. */
export type MeRow = Omit<Me, 'avatar' | 'createdAt'> & { avatarUpload: string | null; createdAt: Date };

export const toMe = ({ avatarUpload, ...row }: MeRow, publicUrl: string): Me => ({
  ...row,
  avatar: avatarUrl(publicUrl, { id: row.id, avatarUpload }),
  createdAt: row.createdAt.toISOString(),
});
