import type { Queryable } from './query.ts';
import { raw, type Statement, sql } from './sql.ts';

/**
 * Reads the rows of a query in batches, in the transaction of `connection`. PostgreSQL computes the next batch while the
 * caller processes the last one.
 * @throws as `query`
 */
export async function* readInBatches<R extends object>(
  connection: Queryable,
  query: Statement,
  batchSize: number,
): AsyncGenerator<R[]> {
  await connection.query(sql`declare batches no scroll cursor for ${query}`);
  const fetch = () => {
    const rows = connection.query<R>(raw(`fetch ${batchSize} from batches`));
    // An error is reported where the rows are awaited; nothing awaits them if the caller has stopped.
    rows.catch(() => {});
    return rows;
  };
  for (let next: Promise<R[]> | null = fetch(); next; ) {
    const rows: R[] = await next;
    next = rows.length === batchSize ? fetch() : null;
    yield rows;
  }
  await connection.query(raw('close batches'));
}
