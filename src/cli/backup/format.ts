/**
 * The file: SQL under gzip, as pg_dump writes it, so that `zcat FILE | psql` reads it too. A first line that says what
 * it is, for each table a `copy … from stdin` with its rows up to `\.`, and a last line with the number of rows and a
 * hash of all before it: what was cut short or altered is found out.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CommandError } from '../command-error.ts';

export type Manifest = {
  format: 1;
  /** The version of Potluck that wrote it. */
  potluck: string;
  /** The newest migration of the database. */
  schema: number;
  at: string;
};
export type Ending = { rows: Record<string, number>; sha256: string };
export type Table = { name: string; columns: string[] };

const first = '-- Potluck backup ';
const last = '-- end ';
const endOfRows = '\\.';
const newline = 10;
/** In bytes; no row of ours comes near. */
const longestLine = 64 * 1024 * 1024;

export const firstLine = (manifest: Manifest): string => `${first}${JSON.stringify(manifest)}\n`;
export const lastLine = (ending: Ending): string => `${last}${JSON.stringify(ending)}\n`;
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** The statement that reads a table's rows, and the line that announces them. */
export const copyIn = ({ name, columns }: Table): string =>
  `copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`;

export const setup = [
  "set statement_timeout = 0; set lock_timeout = 0; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';",
  'begin;',
].join('\n');

/** What a file holds, piece by piece and in its order: a table is begun before its rows come. */
export type Sink = {
  manifest(manifest: Manifest): Promise<void>;
  table(table: Table): Promise<void>;
  /** Whole rows, as COPY takes them. */
  rows(rows: Buffer): Promise<void>;
  endOfTable(): Promise<void>;
  /** Bytes of the file that were read so far. */
  progress(bytes: number): void;
};

/**
 * Reads a backup through to its end, a piece at a time.
 * @throws CommandError when the file is no backup, is cut short or was altered; the sink may have had all of it by then
 */
export async function readBackup(file: string, sink: Sink, signal?: AbortSignal): Promise<Ending> {
  const source = createReadStream(file, { highWaterMark: 256 * 1024 });
  const reader = new Reader(file, sink);
  try {
    await pipeline(
      source,
      createGunzip({ chunkSize: 256 * 1024 }),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          await reader.take(chunk);
          sink.progress(source.bytesRead);
        }
      },
      signal ? { signal } : {},
    );
  } catch (error) {
    throw readTrouble(error, file, signal);
  }
  return reader.finish();
}

function readTrouble(error: unknown, file: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new CommandError(`${file} does not exist.`);
  if (code === 'Z_BUF_ERROR') return new CommandError(`${file} is cut short; nothing was restored.`);
  if (code.startsWith('Z_')) return new CommandError(`${file} is no backup, or is damaged (${message}).`);
  if (/^E[A-Z]+$/.test(code)) return new CommandError(`${file} cannot be read: ${message}.`);
  return error;
}

/** Cuts the stream into lines and hands them on; of rows as many at a time as have come. */
class Reader {
  readonly #file: string;
  readonly #sink: Sink;
  readonly #hash = createHash('sha256');
  readonly #rows: Record<string, number> = {};
  #left: Buffer = Buffer.alloc(0);
  #table: string | null = null;
  #hasBegun = false;
  #ending: Ending | null = null;

  constructor(file: string, sink: Sink) {
    this.#file = file;
    this.#sink = sink;
  }

  async take(chunk: Buffer): Promise<void> {
    const data = this.#left.length > 0 ? Buffer.concat([this.#left, chunk]) : chunk;
    let at = 0;
    /** Where the rows begin that were not handed on yet. */
    let from = 0;
    for (let end = data.indexOf(newline, at); end >= 0; at = end + 1, end = data.indexOf(newline, at)) {
      const isRow = this.#table !== null && !isEndOfRows(data, at, end);
      if (isRow) {
        this.#count();
        continue;
      }
      await this.#hand(data.subarray(from, at));
      await this.#line(data.subarray(at, end + 1));
      from = end + 1;
    }
    await this.#hand(data.subarray(from, at));
    if (data.length - at > longestLine) throw this.#damaged();
    this.#left = data.subarray(at);
  }

  finish(): Ending {
    if (!this.#ending || this.#left.length > 0) {
      throw new CommandError(`${this.#file} is cut short; nothing was restored.`);
    }
    return this.#ending;
  }

  #count(): void {
    const table = this.#table ?? '';
    this.#rows[table] = (this.#rows[table] ?? 0) + 1;
  }

  async #hand(rows: Buffer): Promise<void> {
    if (rows.length === 0) return;
    this.#hash.update(rows);
    await this.#sink.rows(rows);
  }

  async #line(line: Buffer): Promise<void> {
    if (this.#ending) throw this.#damaged();
    const text = line.toString('utf8').trimEnd();
    if (this.#hasBegun && text.startsWith(last)) return this.#end(text.slice(last.length));
    this.#hash.update(line);
    if (this.#table !== null) {
      this.#table = null;
      return this.#sink.endOfTable();
    }
    if (!this.#hasBegun) return this.#begin(text);
    const table = readCopyIn(text);
    if (!table) return;
    if (table.name in this.#rows) throw this.#damaged();
    this.#rows[table.name] = 0;
    this.#table = table.name;
    await this.#sink.table(table);
  }

  async #begin(text: string): Promise<void> {
    const manifest = text.startsWith(first) ? parse<Manifest>(text.slice(first.length)) : null;
    if (!manifest) throw new CommandError(`${this.#file} is no backup of Potluck.`);
    if (manifest.format !== 1 || !Number.isSafeInteger(manifest.schema)) {
      throw new CommandError(
        `${this.#file} was written by another version of Potluck, in a form unknown here.`,
      );
    }
    this.#hasBegun = true;
    await this.#sink.manifest(manifest);
  }

  #end(text: string): void {
    const ending = parse<Ending>(text);
    const found = { rows: this.#rows, sha256: this.#hash.digest('hex') };
    if (JSON.stringify(ending) !== JSON.stringify(found)) throw this.#damaged();
    this.#ending = found;
  }

  #damaged(): CommandError {
    return new CommandError(`${this.#file} is damaged: it is not as it was written. Nothing was restored.`);
  }
}

const isEndOfRows = (data: Buffer, at: number, end: number) =>
  end - at === 2 && data[at] === endOfRows.charCodeAt(0) && data[at + 1] === endOfRows.charCodeAt(1);

const nameForm = '"((?:[^"]|"")+)"';
const copyForm = new RegExp(`^copy ${nameForm} \\((${nameForm}(?:, ${nameForm})*)\\) from stdin;$`);

function readCopyIn(line: string): Table | null {
  const [, name, list] = copyForm.exec(line) ?? [];
  if (name === undefined || list === undefined) return null;
  const columns = [...list.matchAll(new RegExp(nameForm, 'g'))].map(([, column = '']) => unquoted(column));
  return { name: unquoted(name), columns };
}

const unquoted = (name: string) => name.replaceAll('""', '"');

function parse<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}
