/** The database of the server of the tests, for what would otherwise take minutes. */

import { connect, sql } from '../../packages/pg/index.ts';
import { withDatabase } from '../../src/cli/command/command-context.ts';
import { dataDir } from './environment.ts';
import type { Person } from './fixtures.ts';

/** Makes the sessions of a person begin ten minutes earlier: they prove no longer that the person has just signed in. */
export async function ageSessions({ id }: Person): Promise<void> {
  const stop = new AbortController().signal;
  await withDatabase({ databaseUrl: undefined, dataDir }, { stop, mustExist: true }, async (target) => {
    const db = connect(target, 1);
    await db.query(
      sql`update sessions set created_at = created_at - interval '10 minutes' where user_id = ${id}`,
    );
    await db.end({ timeoutMs: 500 });
  });
}
