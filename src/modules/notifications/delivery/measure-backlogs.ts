/** Measures how far the jobs of all servers are behind, for the metrics. */
import { timeOfId } from '#base';
import { type Database, sql } from '#pg';
import { backlogs } from '../../../http/metrics.ts';

/** No statement reads more rows, however long the queue is. */
const maxRows = 10_000;

/**
 * A mail that could not be sent for a reason that other mails would have too, such as a wrong password. Each attempt postpones
 * it, so that `due_at` does not tell how long it has waited. A mail that the mail server refuses for now waits by itself.
 */
const isHeldUp = sql`attempts > 0 and refused_at is null`;

/** When this process first saw each fan-out; the table has no time. */
let fanOutsSince = new Map<string, Date>();

export async function measureBacklogs(db: Database, now: Date): Promise<void> {
  const [[causes], fanOuts, [pushes], [mails]] = await Promise.all([
    db.query<{ count: number; oldest: string | null }>(sql`
      select count(*)::int as count, min(id::text) as oldest
      from (select id from notification_causes limit ${maxRows}) c`),
    db.query<{ eventId: string; kind: string }>(sql`
      select event_id, kind from notification_fan_outs
      union all select subject_id, id::text from announcements where position is not null
      limit ${maxRows}`),
    db.query<{ count: number; oldest: Date | null }>(sql`
      select count(*)::int as count, min(due_at) as oldest
      from (select due_at from push_deliveries where due_at <= ${now} order by due_at limit ${maxRows}) d`),
    db.query<{ count: number; oldest: Date | null }>(sql`
      select count(*)::int as count, min(since) as oldest
      from (
        select case when ${isHeldUp} then created_at else due_at end as since from mails
        where state = 'queued' and (due_at <= ${now} or ${isHeldUp}) limit ${maxRows}
      ) m`),
  ]);
  report('notification_causes', causes?.count, causes?.oldest ? timeOfId(causes.oldest) : null, now);
  report('notification_fan_outs', fanOuts.length, firstSeen(fanOuts, now), now);
  report('push_deliveries', pushes?.count, pushes?.oldest ?? null, now);
  report('mails', mails?.count, mails?.oldest ?? null, now);
}

/** @returns when this process first saw the oldest of the fan-outs, or null if there is none */
function firstSeen(fanOuts: { eventId: string; kind: string }[], now: Date): Date | null {
  const keys = fanOuts.map(({ eventId, kind }) => `${eventId} ${kind}`);
  fanOutsSince = new Map(keys.map((key) => [key, fanOutsSince.get(key) ?? now]));
  const times = [...fanOutsSince.values()];
  return times.length === 0 ? null : times.reduce((a, b) => (a < b ? a : b));
}

function report(queue: string, rows = 0, oldest: Date | null, now: Date): void {
  backlogs.rows.set({ queue }, rows);
  // The clock of the server that stored the row may be ahead.
  backlogs.age.set({ queue }, oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1_000));
}
