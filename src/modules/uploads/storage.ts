/** Stores image files, named `<id>.webp`, in a directory or an S3 bucket. */
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { lazily, makeDirectory, syncDirectory } from '#base';
import { span, traceHeaders } from '#telemetry';
import type { Config } from '../../config/config.ts';
import type { S3Config } from '../../config/s3.ts';

export type Storage = {
  /** The directory or bucket, for the log. */
  place: string;
  /** Writes the whole file or nothing. The file is durable when the promise resolves. */
  write(id: string, bytes: Buffer): Promise<void>;
  /** Opens a file; null if it does not exist. */
  read(id: string): Promise<Readable | null>;
  /** Deletes a file; a missing file is not an error. */
  remove(id: string): Promise<void>;
};

/** Opens the configured storage. A bucket is connected with its first use. */
export const openStorage = ({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): Storage =>
  s3 ? openBucket(s3) : openDirectory(path.join(dataDir, 'uploads'));

/** Stores files in 256 subdirectories of `root`. They fill evenly, because the end of an id is random. */
export function openDirectory(root: string): Storage {
  const fileOf = (id: string) => path.join(root, id.slice(-2), `${id}.webp`);
  const partOf = (id: string) => `${fileOf(id)}.part`;
  return {
    place: `the directory ${root}`,
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
      // A concurrent upload may have created the subdirectory and not yet synchronized its name.
      await Promise.all([syncDirectory(path.dirname(fileOf(id))), syncDirectory(root)]);
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

/** Stores files in an S3-compatible bucket. The client library is loaded with the first use. */
function openBucket(config: S3Config): Storage {
  const loading = lazily(async () => {
    const s3 = await import('@aws-sdk/client-s3');
    const client = new s3.S3Client(clientOptions(config));
    continueTraces(client);
    return { s3, client };
  });
  const locationOf = (id: string) => ({ Bucket: config.bucket, Key: `uploads/${id}.webp` });
  return {
    place: `the bucket ${config.bucket}`,
    async write(id, bytes) {
      const { s3, client } = await loading();
      await client.send(
        new s3.PutObjectCommand({ ...locationOf(id), Body: bytes, ContentType: 'image/webp' }),
      );
    },
    async read(id) {
      const { s3, client } = await loading();
      try {
        const { Body } = await client.send(new s3.GetObjectCommand(locationOf(id)));
        return (Body as Readable | undefined) ?? null;
      } catch (error) {
        if (error instanceof s3.NoSuchKey) return null;
        throw error;
      }
    },
    async remove(id) {
      const { s3, client } = await loading();
      await client.send(new s3.DeleteObjectCommand(locationOf(id)));
    },
  };
}

/** Before the request is signed. */
function continueTraces({ middlewareStack }: S3Client): void {
  middlewareStack.add(
    (next) => (args) =>
      span('use the bucket of images', { kind: 'client' }, () => {
        const { headers } = args.request as { headers: Record<string, string> };
        Object.assign(headers, traceHeaders());
        return next(args);
      }),
    { step: 'build' },
  );
}

function clientOptions({ endpoint, region, keys }: S3Config) {
  return {
    region,
    // Without configured keys, the client takes the credentials of its environment.
    ...(keys && { credentials: keys }),
    // Most other implementations expect the bucket in the path, and some do not support newer checksums.
    ...(endpoint && { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED' as const,
    responseChecksumValidation: 'WHEN_REQUIRED' as const,
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 8_000, throwOnRequestTimeout: true },
  };
}
