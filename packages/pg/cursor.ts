import type { Queryable } from './queryable.ts';
import { raw, type Statement, sql } from './sql.ts';

/** In characters of text, for each batch: rows may differ in size by a factor of a hundred. */
const targetBatchSize = 500_000;
const [minRows, maxRows] = [10, 1_000];

/**
 * Reads the rows of a query in batches, in the transaction of `connection`. PostgreSQL computes the next batch while the
 * caller processes the last one. The number of rows follows their size, so two batches need few megabytes.
 * @param sizeOf the approximate number of characters of a row
 * @throws as `query`
 */
export async function* readInBatches<R extends object>(
  connection: Queryable,
  query: Statement,
  sizeOf: (row: R) => number,
): AsyncGenerator<R[]> {
  await connection.query(sql`declare batches no scroll cursor for ${query}`);
  const fetch = (limit: number) => {
    const rows = connection.query<R>(raw(`fetch ${limit} from batches`));
    // An error is reported where the rows are awaited; nothing awaits them if the caller has stopped.
    rows.catch(() => {});
    return { limit, rows };
  };
  try {
    for (let next: ReturnType<typeof fetch> | null = fetch(minRows); next; ) {
      const rows: R[] = await next.rows;
      next = rows.length === next.limit ? fetch(rowsPerBatch(rows, sizeOf)) : null;
      yield rows;
    }
  } finally {
    // After an error of PostgreSQL, the transaction takes no further statements, and ends the cursor itself.
    await connection.query(raw('close batches')).catch(() => {});
  }
}

function rowsPerBatch<R>(last: R[], sizeOf: (row: R) => number): number {
  const size = last.reduce((sum, row) => sum + sizeOf(row), 0);
  const rows = Math.round((targetBatchSize * last.length) / Math.max(size, 1));
  return Math.min(Math.max(rows, minRows), maxRows);
}
