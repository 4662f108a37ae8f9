/** A template literal tag that runs SQL statements, for tests, torture programs and benchmarks. */
import {
  type Connection,
  connect,
  type Database,
  isDistributed,
  openConnection,
  type Queryable,
  raw,
  sql,
  type Target,
  type Transaction,
  transaction,
  transactionOn,
} from '#pg';

// biome-ignore lint/suspicious/noExplicitAny: tests read any column
type AnyRow = Record<string, any>;

/** `const rows = await sql<{ one: number }[]>`select 1 as one`;` */
type Tag = <R extends readonly object[] = AnyRow[]>(
  strings: TemplateStringsArray,
  ...values: unknown[]
) => Promise<R>;

export type SqlTag = Tag &
  Queryable & {
    /** Runs a statement without parameters that is built at run time. */
    text<R extends object = AnyRow>(text: string): Promise<R[]>;
  };

export type SqlTransaction = SqlTag & Transaction;
/** @param mode the transaction mode, such as `isolation level repeatable read, read only` */
type Begin = <T>(work: (tx: SqlTransaction) => Promise<T>, mode?: string) => Promise<T>;

/** A `Database` that also runs statements as a tag. */
export type SqlDatabase = SqlTag & Database & { begin: Begin };
/** A `Connection` that also runs statements as a tag. */
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
  const tx = Object.assign(connection, {
    isTransaction: true as const,
    isDistributed: await isDistributed(connection),
  });
  const begin: Begin = (work, mode) => transactionOn(connection, () => work(tx), mode);
  return Object.assign(connection, { begin });
}
