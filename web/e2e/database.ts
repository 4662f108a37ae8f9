/** The database of the server of the tests, for what would otherwise take minutes. */

import { connect, type Database, sql } from '../../packages/pg/index.ts';
import { withDatabase } from '../../src/cli/command/command-context.ts';
import { dataDir } from './environment.ts';
import type { Person } from './fixtures.ts';

async function inDatabase(change: (db: Database) => Promise<unknown>): Promise<void> {
  const stop = new AbortController().signal;
  await withDatabase({ databaseUrl: undefined, dataDir }, { stop, mustExist: true }, async (target) => {
    const db = connect(target, 1);
    await change(db);
    await db.end({ timeoutMs: 500 });
  });
}

/** Makes the sessions of a person begin ten minutes earlier: they prove no longer that the person has just signed in. */
export const ageSessions = ({ id }: Person): Promise<void> =>
  inDatabase((db) =>
    db.query(sql`update sessions set created_at = created_at - interval '10 minutes' where user_id = ${id}`),
  );

/** Makes the invitations of an event two days old: people can be reminded of them. */
export const ageInvitations = ({ id }: { id: string }): Promise<void> =>
  inDatabase((db) =>
    db.query(
      sql`update invitations set created_at = created_at - interval '2 days' where subject_id = ${id}`,
    ),
  );
