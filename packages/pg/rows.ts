/**
 * Statements about the rows of given keys. They join a table with the `unnest` of the keys, as `k`, and find the rows by
 * them: on a cluster with Citus too, which sends such a statement to all nodes unless a condition on the table itself has
 * the keys. One PostgreSQL does not need the condition, and with it might read all rows of an event that has thousands.
 */
import type { Database } from './client.ts';
import { one } from './queryable.ts';
import { empty, formOf, isOneOf, join, raw, type Statement, sql } from './sql.ts';

type ColumnType =
  | 'boolean'
  | 'bytea'
  | 'date'
  | 'int'
  | 'jsonb'
  | 'smallint'
  | 'text'
  | 'timestamptz'
  | 'uuid';

/** The types of columns, by the property of a row that has the value: `eventId` is the column `event_id`. */
type Columns<T> = { readonly [P in keyof T & string]?: ColumnType };

/** A table and its alias, such as `rsvps r`; or rows, whose first key column is the distribution column of their tables. */
type Table = string | { rows: Statement; as: string };

/**
 * Selects from the rows of `keys`: `k` is the key of a row, and `k.nth` its number, from 1. Rows that do not exist are left
 * out.
 * @param key the columns that the table and the keys have in common. The first is the distribution column of the table
 * @param others further columns of `k`
 * @returns `k` and the table, for FROM; further tables can be joined by the columns of the table
 */
export function rowsOf<T extends object>(
  table: Table,
  keys: T[],
  key: Columns<T>,
  others: Columns<T> = {},
): Statement {
  const source = typeof table === 'string' ? raw(table) : sql`(${table.rows}) ${raw(table.as)}`;
  return sql`${numbered(keys, { ...key, ...others })} join ${source} on ${matches(table, keys, key)}`;
}

/**
 * The column by which other rows are outer-joined to those of `rowsOf`: Citus joins tables by their own columns, with which
 * one PostgreSQL would read all rows of an event.
 */
export const joinedBy = (alias: string, column: string): Statement =>
  formOf((isDistributed) => raw(`${isDistributed ? alias : 'k'}.${column}`));

/**
 * Updates the rows of `keys`, and raises their versions.
 * @param values further columns of `k`
 * @param set the assignments, of values of `k` and of the table
 * @param condition a further one
 */
export const updateRows = <T extends object>(
  table: string,
  keys: T[],
  key: Columns<T>,
  values: Columns<T>,
  set: Statement,
  condition?: Statement,
): Statement => sql`
  ${update(table, set)} from ${keysOf(keys, { ...key, ...values })}
  where ${matches(table, keys, key)}${condition ? sql` and ${condition}` : empty}`;

/** Deletes the rows of `keys`. @param condition a further one */
export const deleteRows = <T extends object>(
  table: string,
  keys: T[],
  key: Columns<T>,
  condition?: Statement,
): Statement => sql`
  delete from ${raw(table)} using ${keysOf(keys, key)}
  where ${matches(table, keys, key)}${condition ? sql` and ${condition}` : empty}`;

/** Inserts rows. ON CONFLICT can follow. @param table its alias, if it has one, after `as` */
export const insertRows = <T extends object>(table: string, rows: T[], columns: Columns<T>): Statement =>
  sql`insert into ${raw(table)} (${names(columns)}) select * from ${unnest(rows, columns)} k`;

/**
 * Tables whose rows have a version that each change raises: servers keep the rows, live streams compare the versions, and those
 * of `change_shards` are revisions of the change log.
 */
const versioned = [
  'users',
  'sessions',
  'events',
  'event_counters',
  'item_stock',
  'comment_counters',
  'change_shards',
];

/** Updates rows, and raises their versions. FROM or WHERE follows. @param set the assignments; none raises the version */
export function update(table: string, set: Statement = empty): Statement {
  const [name = '', alias = name] = table.split(' ');
  const assigned = [
    ...(set === empty ? [] : [set]),
    ...(versioned.includes(name) ? [raw(`version = ${alias}.version + 1`)] : []),
  ];
  return sql`update ${raw(table)} set ${join(assigned, ', ')}`;
}

/** As `listEach`, for a statement that selects exactly one row. */
export const queryEach = async <R extends object, T extends object>(
  db: Database,
  rows: T[],
  columns: Columns<T>,
  select: Select<T>,
): Promise<R[]> => (await listEach<R, T>(db, rows, columns, select)).map(one);

/** Makes a statement of expressions, one for each column. */
type Select<T> = (expressions: { [P in keyof T]: Statement }) => Statement;

/**
 * Runs a statement for each row, and returns the rows that it selected, in the order of the rows. The statements are one
 * on one PostgreSQL. Citus refuses a lateral join with `unnest`.
 * @param order of the selected rows: that of the statement
 */
export async function listEach<R extends object, T extends object>(
  db: Database,
  rows: T[],
  columns: Columns<T>,
  select: Select<T>,
  order?: Statement,
): Promise<R[][]> {
  type Expressions = { [P in keyof T]: Statement };
  const expressions = (of: (property: keyof T & string, type: ColumnType) => Statement) =>
    Object.fromEntries(entries(columns).map(([name, type]) => [name, of(name, type)])) as Expressions;
  if (await db.isDistributed())
    return await Promise.all(
      rows.map((row) => db.query<R>(select(expressions((name, type) => sql`${row[name]}::${raw(type)}`)))),
    );
  const found = await db.query<R & { nth: number }>(sql`
    select k.nth::int, s.* from ${numbered(rows, columns)}
    cross join lateral (${select(expressions((name) => raw(`k.${columnOf(name)}`)))}) s
    order by k.nth${order ? sql`, ${order}` : empty}`);
  const lists = rows.map((): R[] => []);
  for (const row of found) lists[row.nth - 1]?.push(row);
  return lists;
}

const entries = <T extends object>(columns: Columns<T>) =>
  Object.entries(columns) as [keyof T & string, ColumnType][];

const columnNames = new Map<string, string>();

/** The column of a property: its name in snake_case. */
export const columnOf = (property: string): string => columnNames.getOrInsertComputed(property, snakeCase);

const snakeCase = (property: string): string =>
  property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const names = (columns: object): Statement => raw(Object.keys(columns).map(columnOf).join(', '));

const keysOf = <T extends object>(rows: T[], columns: Columns<T>): Statement =>
  sql`${unnest(rows, columns)} k (${names(columns)})`;

/**
 * PostgreSQL plans the prepared statement once for arrays of any length, because the planner does not look into a subquery.
 * Of a plain parameter the planner knows the length; it assumes ten elements for the shared plan, and therefore plans the
 * statement again for each shorter array. Citus must know the values.
 */
function numbered<T extends object>(rows: T[], columns: Columns<T>): Statement {
  const arrays = arraysOf(rows, columns);
  const of = (isDistributed: boolean) =>
    join(isDistributed ? arrays : arrays.map((array) => sql`(select ${array})`), ', ');
  return sql`unnest(${formOf(of)}) with ordinality k (${names(columns)}, nth)`;
}

const unnest = <T extends object>(rows: T[], columns: Columns<T>): Statement =>
  sql`unnest(${join(arraysOf(rows, columns), ', ')})`;

const arraysOf = <T extends object>(rows: T[], columns: Columns<T>): Statement[] =>
  entries(columns).map(([property, type]) => {
    const values = rows.map((row) => row[property]);
    return sql`${values}::${raw(type)}[]`;
  });

/** The condition that a row of the table is the one of a key, whose first column is the distribution column. */
function matches<T extends object>(table: Table, keys: T[], key: Columns<T>): Statement {
  const properties = entries(key).map(([property]) => property);
  const [name, alias = name] = typeof table === 'string' ? table.split(' ') : ['', table.as];
  const [distributed] = properties;
  const equations = properties.map((each) => `${alias}.${columnOf(each)} = k.${columnOf(each)}`);
  const ofKey = raw(equations.join(' and '));
  if (!distributed) throw new Error(`the keys of ${name} have no column`);
  const ids = () => keys.map((each) => each[distributed]).filter((id) => id !== null) as string[];
  return sql`${ofKey}${amongKeys(`${alias}.${columnOf(distributed)}`, ids)}`;
}

/**
 * A further condition, which one PostgreSQL does not need: the column is one of `ids`. A correlated subquery has it for its
 * own table, because Citus does not conclude from the statement around it on which nodes the rows are.
 */
export const amongKeys = (column: string, ids: () => string[]): Statement =>
  formOf((isDistributed) => (isDistributed ? sql` and ${isOneOf(raw(column), [...new Set(ids())])}` : empty));

/**
 * How a WITH query is evaluated whose rows the statement counts and sorts: once. On a cluster, each node counts and sorts
 * its own rows; if they were materialized, the coordinator would receive all of them.
 */
export const materialized: Statement = formOf((isDistributed) =>
  raw(isDistributed ? 'not materialized' : 'materialized'),
);
