/** The images of a backup: read from the directory or the bucket, and written there by a restore. */
import { buffer } from 'node:stream/consumers';
import { inChunks } from '#base';
import type { Connection } from '#pg';
import { listUploadIds } from '../../modules/uploads/repo.ts';
import type { Storage } from '../../modules/uploads/storage.ts';
import { CommandError } from '../command/command-error.ts';
import { startProgressBar } from '../command/progress-bar.ts';
import { type ArchiveWriter, type ImageCounts, imageName, inOnePart } from './archive.ts';

/** Images that are read or written at the same time, and held in memory. Each has at most a few megabytes. */
const concurrency = 8;

/**
 * Adds the images with these ids. They are those of the snapshot, and an image never changes, so each image that a row of the
 * backup names is added unless it was deleted since then.
 */
export async function addImages(
  archive: ArchiveWriter,
  ids: string[],
  {
    storage,
    connection,
    signal,
  }: { storage: Storage; connection: Connection; signal?: AbortSignal | undefined },
): Promise<ImageCounts> {
  const counts = { count: 0, bytes: 0 };
  const missing: string[] = [];
  using bar = startProgressBar('{bar} {value} images', Math.max(ids.length, 1));
  for (const chunk of inChunks(ids, concurrency)) {
    signal?.throwIfAborted();
    const images = await Promise.all(chunk.map((id) => readImage(storage, id)));
    for (const [i, id] of chunk.entries()) {
      const image = images[i];
      if (!image) missing.push(id);
      else {
        await archive.add(imageName(id), inOnePart(image));
        counts.count++;
        counts.bytes += image.length;
      }
    }
    bar.increment(chunk.length);
  }
  const existing = missing.length > 0 ? new Set(await listUploadIds(connection)) : new Set();
  const lost = missing.filter((id) => existing.has(id)).length;
  return { ...counts, deleted: missing.length - lost, lost };
}

/** Returns null for an image that does not exist. @throws CommandError if the storage fails */
async function readImage(storage: Storage, id: string): Promise<Buffer | null> {
  try {
    const file = await storage.read(id);
    return file && (await buffer(file));
  } catch (error) {
    throw storageError(`The image ${id} cannot be read from ${storage.place}`, error);
  }
}

const storageError = (what: string, error: unknown) =>
  new CommandError(`${what}: ${(error as Error).message || (error as Error).name}.`);

/** Writes images, several at the same time. Each is durable when `flush` has resolved. */
export class ImageRestorer {
  readonly #storage: Storage;
  #waiting: { id: string; bytes: Buffer }[] = [];

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async add(id: string, bytes: Buffer): Promise<void> {
    this.#waiting.push({ id, bytes });
    if (this.#waiting.length === concurrency) await this.flush();
  }

  async flush(): Promise<void> {
    const images = this.#waiting;
    this.#waiting = [];
    await Promise.all(images.map(({ id, bytes }) => this.#write(id, bytes)));
  }

  async #write(id: string, bytes: Buffer): Promise<void> {
    try {
      await this.#storage.write(id, bytes);
    } catch (error) {
      throw storageError(`The image ${id} cannot be written to ${this.#storage.place}`, error);
    }
  }
}
