/**
 * The format of a backup: a tar archive with
 * - `database.sql.gz`: the database (file-format.ts);
 * - `uploads/XX/ID.webp`: the images, as they are in DATA_DIR;
 * - `manifest.json`: what the archive contains;
 * - `checksums/NNNN.sha256`: the SHA-256 of the files before it, for `sha256sum --check`. There is one after each 1,000 files, so that
 *   neither the writer nor the reader must remember the sums of all.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { BackupHeader } from './file-format.ts';
import { TarWriter } from './tar.ts';

/** `checksum`: the sum of the CRC-32 of the rows, as COPY writes them. It does not depend on their order. */
export type TableSum = { rows: number; checksum: number };

/**
 * `deleted`: images that were deleted after the snapshot of the database. `lost`: images that the database has, and whose files
 * do not exist.
 */
export type ImageCounts = { count: number; bytes: number; deleted: number; lost: number };

export type Manifest = BackupHeader & {
  /** `bytes`: the size of the SQL before its compression. */
  database: { bytes: number; tables: Record<string, TableSum> };
  /** Null for a backup of the database alone. */
  images: ImageCounts | null;
};

export const databaseName = 'database.sql.gz';
export const manifestName = 'manifest.json';
export const imageName = (id: string): string => `uploads/${id.slice(-2)}/${id}.webp`;
const imagePattern = /^uploads\/[0-9a-f]{2}\/([0-9a-f-]{36})\.webp$/;
/** Returns null for another file. */
export const idOfImage = (name: string): string | null => imagePattern.exec(name)?.[1] ?? null;

export const filesPerChecksums = 1_000;
export const checksumsName = (number: number): string =>
  `checksums/${String(number).padStart(4, '0')}.sha256`;
/** As `sha256sum` writes it. */
export const checksumLine = (name: string, sha256: string): string => `${sha256}  ${name}\n`;
export const nameInLine = (line: string): string => line.slice(66, -1);

export class ArchiveWriter {
  readonly #tar: TarWriter;
  #checksums: string[] = [];
  #checksumFiles = 0;

  /** @param file empty, and open for writing at any position */
  constructor(file: FileHandle, at: Date) {
    this.#tar = new TarWriter(file, at);
  }

  async add(name: string, content: AsyncIterable<Buffer>): Promise<void> {
    const hash = createHash('sha256');
    await this.#tar.add(name, hashed(content, hash));
    this.#checksums.push(checksumLine(name, hash.digest('hex')));
    if (this.#checksums.length === filesPerChecksums) await this.#writeChecksums();
  }

  async finish(manifest: Manifest): Promise<void> {
    await this.add(manifestName, textOf(`${JSON.stringify(manifest, null, 2)}\n`));
    if (this.#checksums.length > 0) await this.#writeChecksums();
    await this.#tar.end();
  }

  async #writeChecksums(): Promise<void> {
    this.#checksumFiles++;
    await this.#tar.add(checksumsName(this.#checksumFiles), textOf(this.#checksums.join('')));
    this.#checksums = [];
  }
}

/** The content of a file that is in memory. */
export async function* inOnePart(bytes: Buffer): AsyncGenerator<Buffer, void> {
  yield bytes;
}

const textOf = (text: string) => inOnePart(Buffer.from(text));

export async function* hashed(
  content: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer, void> {
  for await (const part of content) {
    hash.update(part);
    yield part;
  }
}
