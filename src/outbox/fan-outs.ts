/** Notifications for all guests of an event. The job in modules/notifications/ delivers them. */
import { type Statement, sql } from '../db/sql.ts';
import { minId } from '../lib/ids.ts';
import type { FanOutKind } from './kinds.ts';

/**
 * Inserts fan-outs, in the transaction of the write that causes them. While a fan-out of the same event and
 * kind is under way, it continues and then begins again: each guest is notified after the last change, and
 * frequent changes neither pile up nor keep the fan-out from reaching its end.
 */
export const insertFanOuts = (kind: FanOutKind, eventIds: string[]): Statement => sql`
  insert into notification_fan_outs as f (event_id, kind, position, is_repeated)
  select e.event_id, ${kind}::text, ${minId}::uuid, false from unnest(${eventIds}::uuid[]) e (event_id)
  order by e.event_id
  on conflict (event_id, kind) do update set is_repeated = f.position > excluded.position`;
