/** Whether the tables are distributed over the nodes of a cluster with Citus. */
import { hasCitus, isDistributed } from '#pg';
import { broken, good, skipped, warning } from '../../doctor/finding.ts';
import { listTablesToDistribute } from '../../schema/distribute.ts';
import type { DatabaseCheck } from './database-schema.ts';

export const cluster: DatabaseCheck = {
  name: 'Citus',
  async run(db) {
    if (!(await hasCitus(db))) return skipped('The database is on one machine, without Citus.');
    if (!(await isDistributed(db)))
      return warning(
        'The database has the extension Citus, and its tables are on the coordinator alone.',
        'To distribute them, stop the servers and run: bin/potluck distribute',
      );
    const [table] = await listTablesToDistribute(db);
    if (!table) return good('All tables are distributed.');
    return broken(`The table ${table.name} is not distributed.`, 'Run: bin/potluck distribute');
  },
};
