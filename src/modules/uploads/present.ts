import type { Upload } from './schemas.ts';

export type UploadRow = Omit<Upload, 'url'> & { userId: string; createdAt: Date };

const urlPrefix = (publicUrl: string) => `${publicUrl}/v1/uploads/`;

export const uploadUrl = (publicUrl: string, id: string): string => `${urlPrefix(publicUrl)}${id}.webp`;

/** The id in a URL that `uploadUrl` returned; null for any other URL. */
export function uploadIdOf(publicUrl: string, url: string): string | null {
  const id = url.slice(urlPrefix(publicUrl).length, -'.webp'.length);
  return /^[0-9a-f-]{36}$/.test(id) && url === uploadUrl(publicUrl, id) ? id : null;
}

export const toUpload = (row: UploadRow, publicUrl: string): Upload => ({
  ...row,
  url: uploadUrl(publicUrl, row.id),
});
