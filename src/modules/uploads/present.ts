/** Uploads as they leave the server. */
import type { Upload } from './schemas.ts';

export type UploadRow = {
  id: string;
  userId: string;
  width: number;
  height: number;
  bytes: number;
  createdAt: Date;
};

const before = (publicUrl: string) => `${publicUrl}/v1/uploads/`;

export const uploadUrl = (publicUrl: string, id: string): string => `${before(publicUrl)}${id}.webp`;

/** The id in the address of an upload, as `uploadUrl` makes it; null for any other address. */
export function uploadIdOf(publicUrl: string, url: string): string | null {
  const id = url.slice(before(publicUrl).length, -'.webp'.length);
  return /^[0-9a-f-]{36}$/.test(id) && url === uploadUrl(publicUrl, id) ? id : null;
}

export const toUpload = (row: UploadRow, publicUrl: string): Upload => ({
  id: row.id,
  url: uploadUrl(publicUrl, row.id),
  width: row.width,
  height: row.height,
  bytes: row.bytes,
});
