import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounters } from '../../test/support/invariants.ts';
import { type CitusCluster, openCitus } from '../cluster/citus.ts';
import { type LateWriters, type SharedEvent, startLateWriters } from '../cluster/late-writers.ts';
import { findLeftovers } from '../cluster/leftovers.ts';
import { deleteBeforeLostRsvp } from '../cluster/lost-rsvp.ts';
import type { Environment } from '../environment.ts';
import { createEvent, createItem } from '../factories.ts';
import { countWrongEvents } from '../failover/served-events.ts';
import { phoneOf, signIn } from '../phones.ts';
import type { Program } from '../program.ts';

const [peopleCount, deleters, sharedCount] = [12, 3, 6];
/** Below the number of people, so that they compete for items and seats. */
const stock = 5;
const fault = { minDelayMs: 5, maxDelayMs: 50, longShare: 1 / 10, longDelayMs: 400, lostShare: 1 / 150 };
/** The last sweep, five minutes after the deletion, and a restart of the sweeps by one that failed. */
const maxSweepMs = 12 * 60_000;

async function createShared(environment: Environment): Promise<SharedEvent[]> {
  const [organizer] = await environment.people(1);
  if (!organizer) throw new Error('no people were created');
  return await Promise.all(
    Array.from({ length: sharedCount }, async () => {
      const id = await createEvent(environment, organizer, { capacity: stock });
      return { id, item: await createItem(environment, organizer, id, stock) };
    }),
  );
}

/** Waits until Citus has finished all lost commits, and the last sweep of each account is over. */
async function settle({ nodes }: CitusCluster, { sql }: Environment, isQuick: boolean): Promise<void> {
  const end = performance.now() + maxSweepMs;
  const openSweeps = async () => (await sql`select 1 from deleted_accounts`).length;
  // A short run does not wait for the times of the sweeps, but for those of Citus.
  if (isQuick) {
    await sleep(10_000);
    await sql`update deleted_accounts set due_at = least(due_at, now()), sweeps = 4`;
  }
  while ((await openSweeps()) > 0) {
    if (performance.now() > end) throw new Error(`the sweeps on ${nodes.length} nodes do not end`);
    await sleep(1_000);
  }
}

/** The number of acknowledged claims that the database does not have. */
async function countLostClaims({ sql }: Environment, writers: LateWriters): Promise<number> {
  const rows = await sql<{ event: string; n: number; user: string }[]>`
    select event_id as event, n, user_id as user from claims`;
  const stored = new Set(rows.map(({ event, n, user }) => `${event}.${n} ${user}`));
  return writers.acknowledgedClaims.filter(({ item, user }) => !stored.has(`${item} ${user}`)).length;
}

async function countOversold({ sql }: Environment): Promise<number> {
  const [items, seats] = await Promise.all([
    sql`
      select s.event_id from item_stock s join claims c on c.event_id = s.event_id and c.n = s.n
      group by s.event_id, s.n, s.needed having sum(c.quantity) > s.needed`,
    sql`
      select e.id from events e join bookings b on b.event_id = e.id and b.status = 'booked'
      where e.capacity > 0 group by e.id, e.capacity having sum(b.seats) > e.capacity`,
  ]);
  return items.length + seats.length;
}

export const cluster: Program = {
  name: 'cluster',
  expectation:
    'a coordinator and two workers with Citus, each COMMIT PREPARED 5 to 50 or 400 ms late and one in 150 lost, under writes of ' +
    'twelve people on two servers, which read all the time, while accounts are deleted: no server shows a record that is older than an ' +
    'acknowledged write, no row names a deleted person once the sweeps are over, nothing is oversold, counters are exact',
  async run({ size, startEnvironment, progress, addCleanup }) {
    const isQuick = size(0, 1) === 1;
    const citus = await openCitus({
      fsync: 'off',
      'citus.shard_count': '4',
      ...(isQuick && { 'citus.recover_2pc_interval': '2s' }),
    });
    addCleanup(() => citus.close());
    const environment = await startEnvironment({
      env: { DATABASE_URL: citus.url, MESSAGES_PER_MINUTE: '0' },
      target: citus.url,
    });
    const shared = await createShared(environment);
    const people = await Promise.all(
      Array.from({ length: peopleCount }, (_, i) => signIn(environment, phoneOf(i))),
    );
    citus.setFault(fault);
    const writers = startLateWriters(environment, people, shared, { firstPhone: peopleCount, deleters });
    const end = performance.now() + size(120_000, 12_000);
    while (performance.now() < end) {
      progress(`${writers.writes} writes, ${writers.deleted.length} people deleted`);
      await sleep(1_000);
    }
    await writers.stop();
    citus.setFault(null);
    // Otherwise it depends on chance whether the sweeps have something to delete.
    const deleted = [
      ...writers.deleted,
      await deleteBeforeLostRsvp(citus, environment, shared[0] as SharedEvent),
    ];
    const lost = citus.proxies.reduce((sum, { counts }) => sum + counts.lost, 0);
    const delayed = citus.proxies.reduce((sum, { counts }) => sum + counts.delayed, 0);
    progress('waiting for the sweeps');
    await settle(citus, environment, isQuick);
    const leftovers = await findLeftovers(environment.sql, deleted);
    const events = await environment.sql<{ id: string }[]>`select id from events`;
    const wrong = await countWrongEvents(environment, events);
    const lostClaims = await countLostClaims(environment, writers);
    const oversold = await countOversold(environment);
    const counters = await assertCounters(environment.sql).then(
      () => null,
      (error: Error) => error.message.slice(0, 500),
    );
    const unexpected = [...writers.statuses].filter(([status]) => status === 0 || status === 500);
    return {
      result:
        `${writers.writes} writes, ${delayed} commits late and ${lost} lost: ${writers.stale.length} of ${writers.reads} reads stale ` +
        `(${writers.unavailable} refused), ${wrong} of ${events.length} events shown otherwise than stored afterwards; ` +
        `${leftovers.length} rows of ${deleted.length} deleted people after the sweeps (${writers.late + 1} had rows after the deletion); ` +
        `${oversold} oversold, ${lostClaims} claims lost, ${counters ?? 'counters are exact'}; ` +
        `${writers.lateStates} saves shown late; unexpected: ${unexpected.map(([status, n]) => `${n} × ${status}`).join(', ') || 'nothing'}` +
        [...writers.stale.slice(0, 3), ...leftovers.slice(0, 3)].map((text) => `\n  ${text}`).join(''),
      ok:
        writers.stale.length + wrong + leftovers.length + oversold + lostClaims + unexpected.length === 0 &&
        counters === null &&
        writers.deleted.length > 0,
    };
  },
};
