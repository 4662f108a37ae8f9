/** Loads rows into empty tables with COPY. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { SqlConnection } from '../../test/support/sql-tag.ts';

export type Row = (string | number | boolean | null)[];
export type Table = {
  name: string;
  /** Comma-separated, in the order of the values in a row. */
  columns: string;
  count: number;
  rows(): Generator<Row>;
};

const chunkLength = 256 * 1024;

/** One line of the text format of COPY. */
const lineOf = (row: Row) => `${row.map(fieldOf).join('\t')}\n`;

function fieldOf(value: Row[number]): string {
  if (value === null) return '\\N';
  if (typeof value !== 'string') return `${value}`;
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, escapeCharacter) : value;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escapeCharacter = (character: string) => escapes[character] ?? character;

/** Combines rows into large chunks, because a write for each row would be slow. */
function* chunks({ rows }: Table, onRows: (count: number) => void): Generator<Buffer> {
  let text = '';
  let count = 0;
  for (const row of rows()) {
    text += lineOf(row);
    count++;
    if (text.length < chunkLength) continue;
    yield Buffer.from(text);
    onRows(count);
    text = '';
    count = 0;
  }
  if (text !== '') yield Buffer.from(text);
  onRows(count);
}

/** @param sql the connection on which the caller has changed session settings */
export async function copyInto(
  sql: SqlConnection,
  table: Table,
  onRows: (count: number) => void,
): Promise<void> {
  const target = sql.client.query(copyFrom(`copy ${table.name} (${table.columns}) from stdin`));
  await pipeline(Readable.from(chunks(table, onRows)), target);
}

/**
 * Drops every index that does not belong to a constraint.
 * @returns the statements that create them again
 */
export async function dropIndexes(sql: SqlConnection): Promise<string[]> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select quote_ident(indexname) as name, indexdef as definition from pg_indexes i
    where schemaname = 'public' and not exists (select 1 from pg_constraint c where c.conname = i.indexname)
      -- The index of a partition is dropped and created with that of its table.
      and not (select relispartition from pg_class c where c.oid = quote_ident(indexname)::regclass)
    order by tablename, indexname`;
  for (const { name } of indexes) await sql.text(`drop index ${name}`);
  return indexes.map(({ definition }) => definition);
}
