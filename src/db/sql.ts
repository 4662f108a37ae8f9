/** SQL statements as values: a template literal becomes text and parameters, and statements can be nested. */
import sqlTag, { join, raw, type Sql } from 'sql-template-tag';

export { default as sql, empty, join, raw, type Sql as Statement } from 'sql-template-tag';

/**
 * `(a, b) values ($1, $2)` for a row. The column names must come from the source code, never from a request.
 */
export const insertValues = (row: Record<string, unknown>): Sql =>
  sqlTag`(${join(Object.keys(row).map(raw))}) values (${join(Object.values(row))})`;

/**
 * `a = $1, b = $2` for columns to change. The column names must come from the source code, never from a
 * request.
 */
export const assignments = (row: Record<string, unknown>): Sql =>
  join(Object.entries(row).map(([column, value]) => sqlTag`${raw(column)} = ${value}`));

/**
 * The condition that a column is one of the ids. For a single id it is an equation: PostgreSQL then plans the prepared
 * statement once, whereas it expects ten ids of an array that it does not know, and plans for each array anew.
 */
export const isOneOf = (column: Sql, ids: string[]): Sql =>
  ids.length === 1 ? sqlTag`${column} = ${ids[0]}::uuid` : sqlTag`${column} = any(${ids}::uuid[])`;
