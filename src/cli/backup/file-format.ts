/**
 * The format of a backup file: SQL compressed with gzip, like the output of pg_dump, so `zcat FILE | psql`
 * can load it. The first line is a comment with the header. Each table follows as `copy … from stdin` with
 * its rows up to `\.`. The last line is a comment with the number of rows of each table and a hash of all
 * preceding lines, which detects truncated and modified files.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../command/command-error.ts';

export type BackupHeader = {
  /** 1: written by a development version (development-backup.ts). */
  format: 1 | 2;
  /** The version of Potluck that wrote the file. */
  potluck: string;
  /** The number of the last migration of the database. */
  schema: number;
  /** The time of the backup, in ISO 8601. */
  at: string;
};
/**
 * The number of rows by table name, and the hash of the uncompressed file before the last line, in
 * hexadecimal.
 */
export type BackupSummary = { rows: Record<string, number>; sha256: string };
export type TableColumns = { name: string; columns: string[] };

const headerPrefix = '-- Potluck backup ';
const summaryPrefix = '-- end ';
const endOfRows = '\\.';
const newline = 10;
/** In bytes. Every row is far shorter. */
const maxLineLength = 64 * 1024 * 1024;

export const headerLine = (header: BackupHeader): string => `${headerPrefix}${JSON.stringify(header)}\n`;
export const summaryLine = (summary: BackupSummary): string => `${summaryPrefix}${JSON.stringify(summary)}\n`;
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** The statement that loads the rows of a table. */
export const copyStatement = ({ name, columns }: TableColumns): string =>
  `copy ${quoteIdentifier(name)} (${columns.map(quoteIdentifier).join(', ')}) from stdin`;

/** The statements before the first table. psql runs them; `potluck restore` ignores them. */
export const setupStatements = [
  "set statement_timeout = 0; set lock_timeout = 0; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';",
  'begin;',
].join('\n');

/** The content of a backup, in the order of the file. */
export type BackupPart =
  | { header: BackupHeader }
  /** The table whose rows follow; null after the last of them. */
  | { table: TableColumns | null }
  /** Complete rows in the text format of COPY. */
  | { rows: Buffer };
export type BackupParts = AsyncGenerator<BackupPart, void>;

/**
 * Reads a backup as a stream.
 * @param read consumes all parts. It may have done so when the file turns out to be damaged
 * @param onProgress called with the number of compressed bytes that have been read
 * @throws CommandError if the file is not a backup, or is truncated or modified
 */
export async function readBackup(
  file: string,
  read: (parts: BackupParts) => Promise<void>,
  onProgress: (bytes: number) => void,
  signal?: AbortSignal,
): Promise<BackupSummary> {
  const source = createReadStream(file, { highWaterMark: 256 * 1024 });
  const parser = new BackupParser(file);
  async function* parse(chunks: AsyncIterable<Buffer>): BackupParts {
    for await (const chunk of chunks) {
      yield* parser.add(chunk);
      onProgress(source.bytesRead);
    }
  }
  try {
    await pipeline(
      source,
      createGunzip({ chunkSize: 256 * 1024 }),
      (chunks: AsyncIterable<Buffer>) => read(parse(chunks)),
      signal ? { signal } : {},
    );
  } catch (error) {
    throw toReadError(error, file, signal);
  }
  return parser.finish();
}

function toReadError(error: unknown, file: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new CommandError(`${file} does not exist.`);
  if (code === 'Z_BUF_ERROR') return new CommandError(`${file} is incomplete. Nothing was restored.`);
  if (code.startsWith('Z_')) return new CommandError(`${file} is not a backup, or is damaged (${message}).`);
  if (/^E[A-Z]+$/.test(code)) return new CommandError(`${file} cannot be read: ${message}.`);
  return error;
}

/** Splits the stream into lines. Yields all complete rows of a chunk at once. */
class BackupParser {
  readonly #file: string;
  readonly #hash = createHash('sha256');
  readonly #rows: Record<string, number> = {};
  /** The incomplete line at the end of the last chunk. */
  #remainder: Buffer = Buffer.alloc(0);
  #table: string | null = null;
  #hasHeader = false;
  #summary: BackupSummary | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  *add(chunk: Buffer): Generator<BackupPart, void> {
    const data = this.#remainder.length > 0 ? Buffer.concat([this.#remainder, chunk]) : chunk;
    let lineStart = 0;
    /** The start of the rows that are not yielded yet. */
    let pendingStart = 0;
    for (
      let end = data.indexOf(newline, lineStart);
      end >= 0;
      lineStart = end + 1, end = data.indexOf(newline, lineStart)
    ) {
      if (this.#table !== null && !isEndOfRows(data, lineStart, end)) {
        this.#rows[this.#table] = (this.#rows[this.#table] ?? 0) + 1;
        continue;
      }
      yield* this.#toRows(data.subarray(pendingStart, lineStart));
      yield* this.#readLine(data.subarray(lineStart, end + 1));
      pendingStart = end + 1;
    }
    yield* this.#toRows(data.subarray(pendingStart, lineStart));
    if (data.length - lineStart > maxLineLength) throw this.#damagedError();
    this.#remainder = data.subarray(lineStart);
  }

  finish(): BackupSummary {
    if (!this.#summary || this.#remainder.length > 0) {
      throw new CommandError(`${this.#file} is incomplete. Nothing was restored.`);
    }
    return this.#summary;
  }

  *#toRows(rows: Buffer): Generator<BackupPart, void> {
    if (rows.length === 0) return;
    this.#hash.update(rows);
    yield { rows };
  }

  *#readLine(line: Buffer): Generator<BackupPart, void> {
    if (this.#summary) throw this.#damagedError();
    const text = line.toString('utf8').trimEnd();
    if (this.#hasHeader && text.startsWith(summaryPrefix))
      return this.#readSummary(text.slice(summaryPrefix.length));
    this.#hash.update(line);
    if (this.#table !== null) {
      this.#table = null;
      yield { table: null };
    } else if (this.#hasHeader) {
      const table = parseCopyStatement(text);
      if (!table) return;
      if (table.name in this.#rows) throw this.#damagedError();
      this.#rows[table.name] = 0;
      this.#table = table.name;
      yield { table };
    } else {
      yield { header: this.#readHeader(text) };
    }
  }

  #readHeader(text: string): BackupHeader {
    const header = text.startsWith(headerPrefix)
      ? parseJson<BackupHeader>(text.slice(headerPrefix.length))
      : null;
    if (!header) throw new CommandError(`${this.#file} is not a backup of Potluck.`);
    if (![1, 2].includes(header.format) || !Number.isSafeInteger(header.schema)) {
      throw new CommandError(
        `${this.#file} has a backup format that this version of Potluck does not support.`,
      );
    }
    this.#hasHeader = true;
    return header;
  }

  #readSummary(text: string): void {
    const summary = parseJson<BackupSummary>(text);
    const actual = { rows: this.#rows, sha256: this.#hash.digest('hex') };
    if (JSON.stringify(summary) !== JSON.stringify(actual)) throw this.#damagedError();
    this.#summary = actual;
  }

  #damagedError(): CommandError {
    return new CommandError(
      `${this.#file} is damaged: its content was changed after it was written. Nothing was restored.`,
    );
  }
}

const isEndOfRows = (data: Buffer, start: number, end: number) =>
  end - start === 2 && data[start] === endOfRows.charCodeAt(0) && data[start + 1] === endOfRows.charCodeAt(1);

const namePattern = '"((?:[^"]|"")+)"';
const copyPattern = new RegExp(
  `^copy ${namePattern} \\((${namePattern}(?:, ${namePattern})*)\\) from stdin;$`,
);

function parseCopyStatement(line: string): TableColumns | null {
  const [, name, list] = copyPattern.exec(line) ?? [];
  if (name === undefined || list === undefined) return null;
  const columns = [...list.matchAll(new RegExp(namePattern, 'g'))].map(([, column = '']) =>
    unquoteIdentifier(column),
  );
  return { name: unquoteIdentifier(name), columns };
}

const unquoteIdentifier = (name: string) => name.replaceAll('""', '"');

/** Returns null for text that is not JSON. */
function parseJson<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}
