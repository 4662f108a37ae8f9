/** Databases whose statements tests, torture programs and benchmarks write as template literals that run at once. */
import { connect, type Database } from '../src/db/client.ts';
import { type Connection, openConnection, transactionOn } from '../src/db/connection.ts';
import type { Queryable } from '../src/db/query.ts';
import { raw, sql } from '../src/db/sql.ts';
import type { Target } from '../src/db/target.ts';
import { type Transaction, transaction } from '../src/db/transaction.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into rows freely
type AnyRow = Record<string, any>;

/** `const rows = await sql<{ one: number }[]>`select 1 as one`;` */
type Tag = <R extends readonly object[] = AnyRow[]>(
  strings: TemplateStringsArray,
  ...values: unknown[]
) => Promise<R>;

export type SqlTag = Tag &
  Queryable & {
    /** Runs a statement without parameters that is put together at run time. */
    text<R extends object = AnyRow>(text: string): Promise<R[]>;
  };

export type SqlTransaction = SqlTag & Transaction;
/** @param mode of the transaction, such as `isolation level repeatable read, read only` */
type Begin = <T>(work: (tx: SqlTransaction) => Promise<T>, mode?: string) => Promise<T>;

/** Runs statements as a tag, and is passed to functions that take a `Database`. */
export type SqlDatabase = SqlTag & Database & { begin: Begin };
/** The same for a single connection. */
export type SqlConnection = SqlTag & Connection & { begin: Begin };

function tagged<D extends Queryable>(db: D): SqlTag & D {
  const tag = <R>(strings: TemplateStringsArray, ...values: unknown[]) =>
    db.query(sql(strings, ...values)) as Promise<R>;
  const text = (statement: string) => db.query(raw(statement));
  return Object.assign(tag, db, { text }) as unknown as SqlTag & D;
}

export function connectSql(target: Target, max?: number): SqlDatabase {
  const db = connect(target, max);
  const begin: Begin = (work, mode) =>
    transaction(db, async (tx) => {
      if (mode) await tx.query(raw(`set transaction ${mode}`));
      return work(tagged(tx));
    });
  return Object.assign(tagged(db), { begin });
}

export async function openSql(target: Target, purpose = 'test'): Promise<SqlConnection> {
  const connection = tagged(await openConnection(target, purpose));
  const tx = Object.assign(connection, { isTransaction: true } as const);
  const begin: Begin = (work, mode) => transactionOn(connection, () => work(tx), mode);
  return Object.assign(connection, { begin });
}
