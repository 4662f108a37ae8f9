import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounters } from '../../test/support/invariants.ts';
import { connectSql, openSql, type SqlDatabase } from '../../test/support/sql-tag.ts';
import { openCitus } from '../cluster/citus.ts';
import { archiveAll, archiving, backUpNodes, recoverNodes } from '../cluster/restore.ts';
import { type PromisedRows, startCrashWriters } from '../crash-writers.ts';
import type { Program } from '../program.ts';

const restorePoint = 'potluck';

/** The number of promised events, RSVPs and messages that the database does not have; messages are on two nodes. */
async function countMissing(sql: SqlDatabase, promised: PromisedRows): Promise<number> {
  const [events, rsvps, messages] = await Promise.all([
    sql<{ id: string }[]>`select id from events`,
    sql<{ id: string }[]>`select event_id || ' ' || user_id as id from rsvps`,
    sql<{ id: string }[]>`select id || ' ' || user_id as id from messages`,
  ]);
  const stored = new Set([...events, ...rsvps, ...messages].map(({ id }) => id));
  const wanted = [
    ...promised.events.map(({ id }) => id),
    ...promised.rsvps.map(({ event, user }) => `${event} ${user}`),
    ...promised.messages.flatMap(({ id, sender, recipient }) => [`${id} ${sender}`, `${id} ${recipient}`]),
  ];
  return wanted.filter((id) => !stored.has(id)).length;
}

export const clusterRestore: Program = {
  name: 'cluster-restore',
  expectation:
    'the nodes of a cluster with Citus are copied while two servers write and commits are late, and recovered to one ' +
    'restore point: every write that was acknowledged before it is there, no transaction is half there, counters are exact',
  async run({ size, startEnvironment, progress, addCleanup }) {
    const citus = await openCitus({ fsync: 'off', 'citus.shard_count': '4', ...archiving });
    addCleanup(() => citus.close());
    const environment = await startEnvironment({
      env: { DATABASE_URL: citus.url, MESSAGES_PER_MINUTE: '0' },
      target: citus.url,
    });
    const people = await environment.people(24);
    citus.setFault({ minDelayMs: 5, maxDelayMs: 50, longShare: 0, longDelayMs: 0, lostShare: 0 });
    const writers = startCrashWriters(environment, people, 8);
    await sleep(size(5_000, 2_000));
    progress('copying the nodes');
    const copies = await backUpNodes(citus);
    await sleep(size(20_000, 3_000));
    const before = structuredClone(writers.promised);
    const coordinator = await openSql(citus.url);
    await coordinator`select citus_create_restore_point(${restorePoint})`;
    await coordinator.end();
    await sleep(size(5_000, 2_000));
    await writers.stop();
    citus.setFault(null);
    progress('recovering the nodes');
    await archiveAll(citus);
    await Promise.all(citus.nodes.map((node) => node.stop()));
    const recovered = await recoverNodes(citus, copies, restorePoint);
    addCleanup(() => Promise.all(recovered.map((node) => node.stop())));
    const sql = connectSql(citus.url, 4);
    addCleanup(() => sql.end({ timeoutMs: 1_000 }));
    await sql`select recover_prepared_transactions()`;
    const missing = await countMissing(sql, before);
    const later = await countMissing(sql, writers.promised);
    const counters = await assertCounters(sql).then(
      () => null,
      (error: Error) => error.message.slice(0, 500),
    );
    const count = ({ events, rsvps, messages }: PromisedRows) =>
      events.length + rsvps.length + messages.length;
    return {
      result:
        `${missing} of ${count(before)} events, RSVPs and messages that were acknowledged before the restore point are missing, ` +
        `${later} rows of later ones are; ${counters ?? 'counters are exact'}`,
      // Without later writes that are missing, nothing shows that the recovery ended at the restore point.
      ok: missing === 0 && later > 0 && counters === null,
    };
  },
};
