/** Events that become visible late, as on a cluster: one that an open transaction inserts. */
import type { Person } from './factories.ts';
import type { SqlTransaction } from './sql-tag.ts';

/** An event of the person, as a copy of another one. */
export async function insertLateEvent(
  tx: SqlTransaction,
  from: string,
  id: string,
  person: Person,
): Promise<void> {
  await tx`
    insert into events select (jsonb_populate_record(e, jsonb_build_object('id', ${id}::text, 'organizer_id',
      ${person.id}::text))).* from events e where e.id = ${from}`;
  await tx`
    insert into event_counters (event_id, rsvp_count, going_count, last_item) values (${id}, 0, 0, 0)`;
}
