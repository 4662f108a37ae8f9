/** Reads a table (CSV) into the entries of an import: a row is an entry. */
import { mapInTurns } from '#base';
import { CalendarError } from '../calendar-error.ts';
import { decodeText, maxEntries, tooManyEntries, toUtf8 } from '../file-bytes.ts';
import { noCalendar } from '../parse-calendar.ts';
import type { FileEntries } from '../parse-entry.ts';
import type { EntryIssue } from '../report.ts';
import { findColumns, isTable } from './column-names.ts';
import { type Answers, type DateColumn, decideOrders, type Question } from './date-order.ts';
import { readRow } from './row-entry.ts';
import { dateFields } from './row-period.ts';
import { splitRows } from './split-rows.ts';
import { Cells, type Table } from './table.ts';

/** A question instead of entries, if the person has to say first which number of a date is the day. */
export type ReadTable = FileEntries | { question: Question };

/** @throws CalendarError for a file that is no table of events, above a bound, or with dates of both orders in a column */
export async function readTable(bytes: Buffer, answers: Answers): Promise<ReadTable> {
  const text = await decodeText(bytes);
  const table = await splitTable(Buffer.concat(await mapInTurns(text, (piece) => Buffer.from(piece))));
  const { orders, question } = await decideOrders(columnsOf(table), answers);
  if (question) return { question };
  const calendar = noCalendar();
  const parsed = await mapInTurns(table.rows, (row) => readRow(new Cells(row, table, orders), calendar));
  return { calendar, parsed: [...parsed, ...brokenRows(table)] };
}

/**
 * Checks the bounds before anything else is done with a file. Line breaks within quotes are counted with the rows, when they are split.
 * @throws CalendarError above a bound
 */
export function requireBounds(bytes: Buffer): void {
  const decoded = toUtf8(bytes);
  if (decoded.includes('"')) return;
  const breaks = decoded.toString('latin1').match(/[\r\n]+/g)?.length ?? 0;
  if (breaks > maxEntries + maxAbove) throw tooManyEntries();
}

const unclosed = 'has a quotation mark that is not closed';

const brokenRows = ({ broken, isCut }: Table): EntryIssue[] =>
  broken.map((line, i) => {
    const reason =
      isCut && i === broken.length - 1 ? `${unclosed}; the rows behind it were not read` : unclosed;
    return { line, cause: 'broken', reason };
  });

/** Rows above the headings, such as the title of a sheet. */
const maxAbove = 10;
/** In bytes: what is read to find the headings. */
const headLength = 32 * 1024;

/** @throws CalendarError without headings of a title and a date */
async function splitTable(text: Buffer): Promise<Table> {
  const { delimiter, above } = await findHeadings(text);
  const { rows, broken, isCut } = await splitRows(text, delimiter);
  const headings = rows[above]?.cells ?? [];
  const entries = rows.slice(above + 1);
  if (entries.length > maxEntries) throw tooManyEntries();
  return { headings, columns: findColumns(headings), rows: entries, broken, isCut };
}

type Headings = { delimiter: string; above: number; count: number };

/** The separator with which the most columns have a known name. */
async function findHeadings(text: Buffer): Promise<Headings> {
  const head = text.subarray(0, headLength);
  let best: Headings | null = null;
  for (const delimiter of [',', ';', '\t']) {
    const { rows } = await splitRows(head, delimiter);
    for (const [above, { cells }] of rows.slice(0, maxAbove).entries()) {
      const columns = findColumns(cells);
      if (isTable(columns) && columns.size > (best?.count ?? 0))
        best = { delimiter, above, count: columns.size };
    }
  }
  if (!best)
    throw new CalendarError('file_unreadable', 'has no columns with the titles and the dates of events');
  return best;
}

function columnsOf({ headings, columns, rows }: Table): DateColumn[] {
  return [...dateFields.start, ...dateFields.end].flatMap((field) => {
    const index = columns.get(field);
    if (index === undefined) return [];
    const cells = rows.map(({ line, cells }) => ({ line, text: (cells[index] ?? '').trim() }));
    return [{ index, heading: headings[index]?.trim() ?? '', cells }];
  });
}
