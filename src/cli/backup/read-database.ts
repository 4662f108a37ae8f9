/** Reads the database of a backup: checks its hash, and splits it into tables and rows. */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../command/command-error.ts';
import {
  type BackupHeader,
  type BackupSummary,
  endOfRows,
  headerPrefix,
  newline,
  summaryPrefix,
  type TableColumns,
} from './file-format.ts';

/** In bytes. Every row is far shorter. */
const maxLineLength = 64 * 1024 * 1024;

/** The content of a backup, in the order of the file. */
export type BackupPart =
  | { header: BackupHeader }
  /** The table whose rows follow; null after the last of them. */
  | { table: TableColumns | null }
  /** Complete rows in the text format of COPY. */
  | { rows: Buffer };
export type BackupParts = AsyncGenerator<BackupPart, void>;

/**
 * Reads the compressed database of a backup as a stream.
 * @param name of the file, for messages
 * @param read consumes all parts. It may have done so when the content turns out to be damaged
 * @throws CommandError if the content is not a backup, or is truncated or modified
 */
export async function readDatabase(
  source: AsyncIterable<Buffer>,
  name: string,
  read: (parts: BackupParts) => Promise<void>,
): Promise<{ header: BackupHeader; rows: Record<string, number> }> {
  const parser = new DatabaseParser(name);
  async function* parse(chunks: AsyncIterable<Buffer>): BackupParts {
    for await (const chunk of chunks) yield* parser.add(chunk);
  }
  try {
    await pipeline(source, createGunzip({ chunkSize: 256 * 1024 }), (chunks: AsyncIterable<Buffer>) =>
      read(parse(chunks)),
    );
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw new CommandError(`${name} is incomplete.`);
    if (code.startsWith('Z_')) throw new CommandError(`${name} is not a backup, or is damaged (${message}).`);
    throw error;
  }
  return parser.finish();
}

/** Splits the stream into lines. Yields all complete rows of a chunk at once. */
class DatabaseParser {
  readonly #name: string;
  readonly #hash = createHash('sha256');
  readonly #rows: Record<string, number> = {};
  /** The incomplete line at the end of the last chunk. */
  #remainder: Buffer = Buffer.alloc(0);
  #table: string | null = null;
  #header: BackupHeader | null = null;
  #summary: BackupSummary | null = null;

  constructor(name: string) {
    this.#name = name;
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

  finish(): { header: BackupHeader; rows: Record<string, number> } {
    if (!this.#header || !this.#summary || this.#remainder.length > 0)
      throw new CommandError(`${this.#name} is incomplete.`);
    return { header: this.#header, rows: this.#summary.rows };
  }

  *#toRows(rows: Buffer): Generator<BackupPart, void> {
    if (rows.length === 0) return;
    this.#hash.update(rows);
    yield { rows };
  }

  *#readLine(line: Buffer): Generator<BackupPart, void> {
    if (this.#summary) throw this.#damagedError();
    const text = line.toString('utf8').trimEnd();
    if (this.#header && text.startsWith(summaryPrefix))
      return this.#readSummary(text.slice(summaryPrefix.length));
    this.#hash.update(line);
    if (this.#table !== null) {
      this.#table = null;
      yield { table: null };
    } else if (this.#header) {
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
    if (!header) throw new CommandError(`${this.#name} is not a backup of Potluck.`);
    if (![1, 2].includes(header.format) || !Number.isSafeInteger(header.schema)) {
      throw new CommandError(
        `${this.#name} has a backup format that this version of Potluck does not support.`,
      );
    }
    this.#header = header;
    return header;
  }

  #readSummary(text: string): void {
    const summary = parseJson<BackupSummary>(text);
    const actual = { rows: this.#rows, sha256: this.#hash.digest('hex') };
    if (JSON.stringify(summary) !== JSON.stringify(actual)) throw this.#damagedError();
    this.#summary = actual;
  }

  #damagedError(): CommandError {
    return new CommandError(`${this.#name} is damaged: its content was changed after it was written.`);
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
