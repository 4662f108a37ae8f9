/** SQL statements as values: a template literal becomes text and parameters, and statements can be nested. */
import sqlTag, { join, raw, Sql } from 'sql-template-tag';

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
 * statement once, whereas it expects ten ids of an array that it does not know, and plans for each array anew. From an
 * equation, Citus also concludes on which node the rows of tables are that are joined by the column.
 */
export const isOneOf = (column: Sql, ids: string[]): Sql =>
  ids.length === 1 ? sqlTag`${column} = ${ids[0]}::uuid` : sqlTag`${column} = any(${ids}::uuid[])`;

/** SQL that differs for a database that is distributed over several nodes. Until a statement is sent, it is a value. */
class Variants {
  readonly single: Sql;
  readonly distributed: Sql;

  constructor(single: Sql, distributed: Sql) {
    this.single = single;
    this.distributed = distributed;
  }
}

/** SQL that differs for a single PostgreSQL and for a database that is distributed over several nodes. */
export const variants = (sql: { single: Sql; distributed: Sql }): Sql =>
  sqlTag`${new Variants(sql.single, sql.distributed)}`;

/**
 * A condition that a join with the ids implies already. Citus needs it to send a statement only to the nodes that have
 * the rows. One PostgreSQL does not, and with it might read all rows of an id that has thousands.
 */
export const onNodesOf = (column: Sql, ids: string[]): Sql =>
  variants({ single: sqlTag`true`, distributed: isOneOf(column, [...new Set(ids)]) });

/**
 * An array of UUIDs as a parameter. PostgreSQL plans the prepared statement once for arrays of any length, because the
 * planner does not look into a subquery. Of a plain parameter the planner knows the length; it assumes ten elements for
 * the shared plan, and therefore plans the statement again for each shorter array. Citus must know the values: they decide
 * which nodes a statement needs.
 */
export const uuidsOfAnyNumber = (ids: (string | null)[]): Sql =>
  variants({ single: sqlTag`(select ${ids}::uuid[])`, distributed: sqlTag`${ids}::uuid[]` });

export const hasVariants = (statement: Sql): boolean =>
  statement.values.some((value) => value instanceof Variants);

/** The statement with one of its variants. */
export const chooseVariants = (statement: Sql, isDistributed: boolean): Sql =>
  hasVariants(statement)
    ? new Sql(
        statement.strings,
        statement.values.map((value) => {
          if (!(value instanceof Variants)) return value;
          return isDistributed ? value.distributed : value.single;
        }),
      )
    : statement;
