import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import { listedCondition } from '../events/policy.ts';
import { byStart, type Position, type Slice } from '../events/start-pages.ts';

/** Lists the listed events that a person organizes, past ones included, in the order of the index events_by_organizer. */
export async function listOrganized(db: Database, userId: string, slice: Slice): Promise<Position[]> {
  return await db.query<Position>(sql`
    select e.id, e.start_at from events e
    where e.organizer_id = ${userId} and ${listedCondition()} ${byStart(slice)}`);
}
