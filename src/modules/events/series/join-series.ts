import { assignments, sql, type Transaction, transactionTime, update } from '#pg';

/** Makes an event an occurrence of a series. The transaction must hold its lock, and record the change. */
export async function joinSeries(
  tx: Transaction,
  eventId: string,
  { seriesId, seriesDate }: { seriesId: string; seriesDate: string },
): Promise<void> {
  const columns = { series_id: seriesId, series_date: seriesDate, updated_at: transactionTime };
  await tx.query(sql`${update('events', assignments(columns))} where id = ${eventId}`);
}
