/** Splits a table (CSV, RFC 4180) into rows, in turns of the event loop. */
import { CsvError, type Info, type Parser, parse } from 'csv-parse';
import { runInTurn } from '#base';
import { maxEntries, tooManyEntries } from '../file-bytes.ts';

/** `line`: at which the row begins. */
export type Row = { line: number; cells: string[] };
/** `broken`: the lines of quotes that are not closed. `isCut`: whether what is behind the last of them was not read. */
export type Rows = { rows: Row[]; broken: number[]; isCut: boolean };

/** In bytes: a few milliseconds of work. */
const sliceLength = 16 * 1024;
const [newLine, quote] = [10, 34];
/** Rows above the headings. */
const maxOther = 100;
/** Quotes that are not closed: behind each of them, the rest of the file is read again. */
const maxBroken = 10;

/**
 * Reads all rows that have cells in them.
 * @param text in UTF-8, with \n between its lines
 * @throws CalendarError above the number of entries of a file
 */
export async function splitRows(text: Buffer, delimiter: string): Promise<Rows> {
  const rows: Row[] = [];
  const broken: number[] = [];
  let start = { offset: 0, line: 1 };
  while (start.offset < text.length) {
    const lineOf = (line: number) => start.line + line - 1;
    const read = await readUntilBroken(text.subarray(start.offset), delimiter);
    for (const row of read.rows) rows.push({ ...row, line: lineOf(row.line) });
    if (read.broken === null) return { rows, broken, isCut: false };
    broken.push(lineOf(read.broken));
    if (broken.length > maxBroken) return { rows, broken, isCut: true };
    start = skipLines(text, start, read.broken);
  }
  return { rows, broken, isCut: false };
}

/** Where the line after so many others begins. */
function skipLines(text: Buffer, { offset, line }: { offset: number; line: number }, count: number) {
  let at = offset;
  for (let skipped = 0; skipped < count; skipped++) {
    const end = text.indexOf(newLine, at);
    at = end < 0 ? text.length : end + 1;
  }
  return { offset: at, line: line + count };
}

type Split = { record: string[]; info: Info };

/** `broken`: the line of a quote that is not closed; null without one. */
async function readUntilBroken(
  text: Buffer,
  delimiter: string,
): Promise<{ rows: Row[]; broken: number | null }> {
  const parser = parse({
    ...{ delimiter, record_delimiter: '\n', relax_quotes: true, relax_column_count: true },
    ...{ skip_empty_lines: true, info: true },
  });
  const rows: Row[] = [];
  let [lastLine, lastByte, broken] = [0, 0, null as number | null];
  parser.on('data', ({ record, info }: Split) => {
    if (broken !== null) return;
    const line = info.lines - record.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
    if (record.some((cell) => isUnclosed(cell, text.subarray(lastByte, info.bytes)))) broken = line;
    else if (record.some((cell) => cell.trim() !== '')) rows.push({ line, cells: record });
    [lastLine, lastByte] = [info.lines, info.bytes];
  });
  try {
    for (let at = 0; at < text.length && broken === null; at += sliceLength) {
      await write(parser, text.subarray(at, at + sliceLength));
      if (rows.length > maxEntries + maxOther) throw tooManyEntries();
    }
    if (broken === null) await end(parser);
    return { rows, broken };
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error;
    return { rows, broken: broken ?? nextLine(text, lastLine) };
  } finally {
    parser.destroy();
  }
}

/** Whether a quote opens the cell, and another one in a later row does not close it: the parser leaves such a cell as it is written. */
function isUnclosed(cell: string, written: Buffer): boolean {
  if (!cell.startsWith('"') || !cell.includes('\n')) return false;
  const at = written.indexOf(cell);
  return at >= 0 && written[at - 1] !== quote;
}

/** The first line with text in it after another one. */
function nextLine(text: Buffer, line: number): number {
  let { offset } = skipLines(text, { offset: 0, line: 1 }, line);
  let next = line + 1;
  for (; text[offset] === newLine; offset++) next++;
  return next;
}

async function write(parser: Parser, slice: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  await runInTurn(() => parser.write(slice, (error) => (error ? reject(error) : resolve())));
  await promise;
}

async function end(parser: Parser): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  parser.once('end', resolve).once('error', reject);
  parser.end();
  await promise;
}
