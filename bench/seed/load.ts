/** Many rows into empty tables, as fast as PostgreSQL takes them. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { SqlConnection } from '../../test/sql-tag.ts';

export type Row = (string | number | boolean | null)[];
export type Table = {
  name: string;
  /** As in SQL, in the order of a row's values. */
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
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, escaped) : value;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escaped = (character: string) => escapes[character] ?? character;

/** Text in large pieces: a write for each row would cost more than the row. */
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

/** @param sql one connection, as the caller's settings of the session must hold for it */
export async function copyInto(
  sql: SqlConnection,
  table: Table,
  onRows: (count: number) => void,
): Promise<void> {
  const target = sql.client.query(copyFrom(`copy ${table.name} (${table.columns}) from stdin`));
  await pipeline(Readable.from(chunks(table, onRows)), target);
}

/**
 * Drops every index that stands behind no constraint, and gives the statements that make them again: read from the
 * database, so that they are whatever the migrations made.
 */
export async function dropIndexes(sql: SqlConnection): Promise<string[]> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select quote_ident(indexname) as name, indexdef as definition from pg_indexes i
    where schemaname = 'public' and not exists (select 1 from pg_constraint c where c.conname = i.indexname)
    order by tablename, indexname`;
  for (const { name } of indexes) await sql.text(`drop index ${name}`);
  return indexes.map(({ definition }) => definition);
}
