/** Where the images are: a directory, or a bucket. Both hold them as `<id>.webp`. */

import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Config, S3Config } from '../../lib/config.ts';
import { makeDirectory } from '../../lib/make-directory.ts';

export type Storage = {
  /** All of it or nothing, and on disk when it has returned. */
  write(id: string, bytes: Buffer): Promise<void>;
  /** Null where there is none. */
  read(id: string): Promise<Readable | null>;
  /** All right where there is none. */
  remove(id: string): Promise<void>;
};

/** Connects to nothing yet. */
export const openStorage = ({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): Storage =>
  s3 ? openBucket(s3) : openDirectory(path.join(dataDir, 'uploads'));

export function openDirectory(root: string): Storage {
  // By the end of the id, which is random: 256 directories that fill evenly.
  const fileOf = (id: string) => path.join(root, id.slice(-2), `${id}.webp`);
  const partOf = (id: string) => `${fileOf(id)}.part`;
  return {
    async write(id, bytes) {
      await makeDirectory(path.dirname(fileOf(id)));
      const part = await open(partOf(id), 'w', 0o644);
      try {
        await part.writeFile(bytes);
        await part.sync();
      } finally {
        await part.close();
      }
      await rename(partOf(id), fileOf(id));
    },
    async read(id) {
      const file = await open(fileOf(id)).catch(nullIf('ENOENT'));
      return file?.createReadStream() ?? null;
    },
    async remove(id) {
      await rm(partOf(id), { force: true });
      await rm(fileOf(id), { force: true });
    },
  };
}

const nullIf = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code === code) return null;
  throw error;
};

/** Amazon's own client, which speaks to whatever is compatible; loaded when it is first needed. */
export function openBucket(config: S3Config): Storage {
  const loading = lazily(async () => {
    const s3 = await import('@aws-sdk/client-s3');
    return { s3, client: new s3.S3Client(clientOptions(config)) };
  });
  const at = (id: string) => ({ Bucket: config.bucket, Key: `uploads/${id}.webp` });
  return {
    async write(id, bytes) {
      const { s3, client } = await loading();
      await client.send(new s3.PutObjectCommand({ ...at(id), Body: bytes, ContentType: 'image/webp' }));
    },
    async read(id) {
      const { s3, client } = await loading();
      try {
        const { Body } = await client.send(new s3.GetObjectCommand(at(id)));
        return (Body as Readable | undefined) ?? null;
      } catch (error) {
        if (error instanceof s3.NoSuchKey) return null;
        throw error;
      }
    },
    async remove(id) {
      const { s3, client } = await loading();
      await client.send(new s3.DeleteObjectCommand(at(id)));
    },
  };
}

function clientOptions({ endpoint, region, keys }: S3Config) {
  return {
    region,
    // Without keys of ours, those of the machine it runs on.
    ...(keys && { credentials: keys }),
    // Elsewhere than at Amazon the bucket is mostly a path, and newer checksums are not always known.
    ...(endpoint && { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    responseChecksumValidation: 'WHEN_REQUIRED' as const,
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 8_000, throwOnRequestTimeout: true },
  };
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
