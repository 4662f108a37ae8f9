import { lockRows, rowsOf, type Statement, skipLockedUnless, sql, type Transaction } from '#pg';

/**
 * Share-locks events, so that they cannot be hidden, cancelled, deleted or change their capacity until the transaction
 * ends, and locks their counters, which serializes the RSVPs and the bookings of an event. RSVPs, bookings and counters
 * that a later statement reads cannot change until the transaction ends.
 * @param columns what to read of the event `e` and its counters `c`
 * @returns the columns by event id. An event is missing if there is no such event or, unless `mayWaitForLocks` is set, if
 *   another transaction holds its lock
 */
export async function lockEventCounters<R extends object>(
  tx: Transaction,
  eventIds: string[],
  columns: Statement,
  mayWaitForLocks: boolean,
): Promise<Map<string, R & { eventId: string }>> {
  const toKeys = (ids: string[]) => ids.map((id) => ({ id }));
  // PostgreSQL locks row by row: if the event is skipped, its counters are not locked either.
  const rows = await lockRows<R, string>(
    tx,
    eventIds,
    String,
    (ids) => sql`
      select k.nth::int, ${columns}
      from ${rowsOf('events e', toKeys(ids), { id: 'uuid' })}
      join event_counters c on c.event_id = e.id
      order by e.id
      for key share of e ${skipLockedUnless(mayWaitForLocks)}
      for no key update of c`,
  );
  return new Map(
    rows.flatMap((row, i) => {
      const eventId = eventIds[i] as string;
      return row ? [[eventId, { ...row, eventId }] as const] : [];
    }),
  );
}
