/** Uploads images, and reads the stored images from tables and disk. */
import { glob } from 'node:fs/promises';
import path from 'node:path';
import { conversions, maxConversions } from '../../src/modules/uploads/images.ts';
import type { Person } from './factories.ts';
import type { Api, ApiResponse } from './setup.ts';

export const upload = (api: Api, by: Person, bytes: Buffer, type = 'image/png'): Promise<ApiResponse> =>
  api.call('POST', '/v1/uploads', {
    token: by.token,
    raw: bytes as Buffer<ArrayBuffer>,
    headers: { 'content-type': type },
  });

/** Returns the names of all stored files, including incomplete ones. */
export async function listFiles(dataDir: string): Promise<string[]> {
  const files = await Array.fromAsync(glob('uploads/*/*', { cwd: dataDir }));
  return files.map((file) => path.basename(file)).sort();
}

export async function countUploadRows({ sql }: Pick<Api, 'sql'>) {
  const [row] = await sql<[{ uploads: number; loose: number; today: number }]>`
    select (select count(*)::int from uploads) as uploads, (select count(*)::int from loose_files) as loose,
      (select coalesce(sum(today), 0)::int from upload_usage) as today`;
  return row;
}

/**
 * Occupies the conversions: all uploads wait with complete bodies.
 * @param userId the person in whose name the conversions are occupied
 */
export function holdConversions(userId = 'holder'): { releaseOne: () => void; release: () => void } {
  const held = Array.from({ length: maxConversions }, () => Promise.withResolvers<void>());
  for (const { promise } of held) void conversions.run(userId, () => promise);
  const releaseOne = () => held.pop()?.resolve();
  return {
    releaseOne,
    release() {
      while (held.length > 0) releaseOne();
    },
  };
}
