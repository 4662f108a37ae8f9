/** Reads a backup as a stream, and compares each file in it with its checksum. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { buffer, text } from 'node:stream/consumers';
import { CommandError } from '../command/command-error.ts';
import {
  checksumLine,
  checksumsName,
  databaseName,
  hashed,
  idOfImage,
  type Manifest,
  manifestName,
  nameInLine,
} from './archive.ts';
import type { BackupHeader } from './file-format.ts';
import { type BackupParts, readDatabase } from './read-database.ts';
import { readTar, TarError } from './tar.ts';

/** What is done with the content. It may have been called with damaged content before `readArchive` throws. */
export type Consumer = {
  database(parts: BackupParts): Promise<void>;
  image(id: string, bytes: Buffer): Promise<void>;
};

export type Contents = {
  header: BackupHeader;
  rows: Record<string, number>;
  images: { count: number; bytes: number };
  /** Null for a backup of a development version, which is no archive. */
  manifest: Manifest | null;
};

type Options = {
  /** Called with the number of bytes that have been read. */
  onProgress?: (bytes: number) => void;
  /** Called with a sentence for each damaged file in the archive, in place of an error for the first one. */
  onFault?: (sentence: string) => void;
  signal?: AbortSignal | undefined;
};

/** @throws CommandError if the file is not a backup, or is truncated or modified */
export async function readArchive(
  file: string,
  consumer: Consumer,
  options: Options = {},
): Promise<Contents> {
  const { onProgress, signal } = options;
  const source = createReadStream(file, { highWaterMark: 256 * 1024, ...(signal && { signal }) });
  async function* chunks() {
    for await (const chunk of source) {
      onProgress?.(source.bytesRead);
      yield chunk as Buffer;
    }
  }
  try {
    const reader = new ArchiveReader(file, consumer, options.onFault);
    return await ((await isGzip(file)) ? reader.readDatabaseAlone(chunks()) : reader.read(chunks()));
  } catch (error) {
    throw toReadError(error, file, signal);
  } finally {
    source.destroy();
  }
}

async function isGzip(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer: start } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return start.equals(Buffer.from([0x1f, 0x8b]));
}

function toReadError(error: unknown, file: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof TarError) return new CommandError(`${file} ${error.message}, or is not a backup.`);
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new CommandError(`${file} does not exist.`);
  if (/^E[A-Z]+$/.test(code)) return new CommandError(`${file} cannot be read: ${message}.`);
  return error;
}

class ArchiveReader {
  readonly #file: string;
  readonly #consumer: Consumer;
  readonly #onFault: ((sentence: string) => void) | undefined;
  readonly #images = { count: 0, bytes: 0 };
  /** The lines of the next file of checksums; null for a file whose damage has been reported. */
  #checksums: (string | null)[] = [];
  #checksumFiles = 0;
  #database: Pick<Contents, 'header' | 'rows'> | null = null;
  #manifest: Manifest | null = null;
  #isIntact = true;

  constructor(file: string, consumer: Consumer, onFault?: (sentence: string) => void) {
    this.#file = file;
    this.#consumer = consumer;
    this.#onFault = onFault;
  }

  async readDatabaseAlone(source: AsyncIterable<Buffer>): Promise<Contents> {
    const database = await readDatabase(source, this.#file, (parts) => this.#consumer.database(parts));
    return { ...database, images: this.#images, manifest: null };
  }

  async read(source: AsyncIterable<Buffer>): Promise<Contents> {
    for await (const { name, content } of readTar(source)) {
      if (name === checksumsName(this.#checksumFiles + 1)) this.#compareChecksums(await text(content));
      else await this.#readFile(name, content);
    }
    const manifest = this.#manifest;
    if (!manifest || this.#checksums.length > 0) throw new TarError('is incomplete');
    if (this.#isIntact) this.#compareManifest(manifest);
    return { header: manifest, rows: {}, ...this.#database, images: this.#images, manifest };
  }

  async #readFile(name: string, content: AsyncIterable<Buffer>): Promise<void> {
    const hash = createHash('sha256');
    const isReported = await this.#consume(name, hashed(content, hash));
    this.#checksums.push(isReported ? null : checksumLine(name, hash.digest('hex')));
  }

  /** Returns whether the content was found to be damaged, and this was reported. */
  async #consume(name: string, content: AsyncIterable<Buffer>): Promise<boolean> {
    const id = idOfImage(name);
    if (name === databaseName) return await this.#consumeDatabase(content);
    if (name === manifestName) this.#manifest = parseManifest(await text(content));
    else if (id === null) throw new TarError('is damaged');
    else {
      const bytes = await buffer(content);
      this.#images.count++;
      this.#images.bytes += bytes.length;
      await this.#consumer.image(id, bytes);
    }
    return false;
  }

  async #consumeDatabase(content: AsyncIterable<Buffer>): Promise<boolean> {
    try {
      const name = `${this.#file}: ${databaseName}`;
      this.#database = await readDatabase(content, name, (parts) => this.#consumer.database(parts));
      return false;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.#report(error);
      return true;
    }
  }

  #compareChecksums(found: string): void {
    this.#checksumFiles++;
    const expected = this.#checksums;
    const lines = found.split(/(?<=\n)/);
    this.#checksums = [];
    if (lines.length !== expected.length) throw new TarError('is damaged');
    for (const [i, line] of expected.entries()) {
      if (line === null || line === lines[i]) continue;
      this.#report(new CommandError(`${this.#file}: ${nameInLine(line)} is damaged.`));
    }
  }

  /** A manifest with a valid checksum that differs: files were removed from the archive, or it was made by another program. */
  #compareManifest({ database, images }: Manifest): void {
    const rows = Object.entries(database.tables).map(([name, { rows }]) => [name, rows] as const);
    const expected = [Object.fromEntries(rows), images?.count ?? 0, images?.bytes ?? 0];
    const found = [this.#database?.rows, this.#images.count, this.#images.bytes];
    if (JSON.stringify(expected) !== JSON.stringify(found))
      this.#report(new CommandError(`${this.#file} does not contain what its ${manifestName} says.`));
  }

  #report(error: CommandError): void {
    if (!this.#onFault) throw error;
    this.#isIntact = false;
    this.#onFault(error.message);
  }
}

function parseManifest(json: string): Manifest {
  try {
    return JSON.parse(json) as Manifest;
  } catch {
    throw new TarError('is damaged');
  }
}
