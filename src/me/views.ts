import { avatarUrl } from '../users/views.ts';
import type { Me } from './schemas.ts';

export type MeRow = Omit<Me, 'avatar' | 'createdAt'> & { createdAt: Date };

export const toMe = (row: MeRow, publicUrl: string): Me => ({
  ...row,
  avatar: avatarUrl(publicUrl, row.id),
  createdAt: row.createdAt.toISOString(),
});
