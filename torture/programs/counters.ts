import { assertCounters } from '../../test/support/invariants.ts';
import { runConcurrently } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import type { Program } from '../program.ts';

/** The result shows at most this many characters of a drift, which may name thousands of rows. */
const maxDriftLength = 1_000;

type Toggle = { method: string; path: string; body?: unknown };

export const counters: Program = {
  name: 'counters',
  expectation: '100,000 RSVPs, follows and blocks are set and removed over two servers: no counter drifts',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const [toggles, number] = [size(100_000, 1_000), size(200, 40)];
    const environment = await startEnvironment();
    const people = await environment.people(number);
    const events = await runConcurrently(10, 1, () => createEvent(environment, people[0] as Person));
    let done = 0;
    const statuses = await runConcurrently(toggles, 128, async () => {
      if (++done % 1_000 === 0) progress(`${done} of ${toggles}`);
      const { method, path, body } = toggle(people, events);
      const { status } = await environment.client.send(method, path, {
        token: pick(people).token,
        ...(body !== undefined && { body }),
      });
      return status;
    });
    const tally = countValues(statuses);
    const drift = await findDrift(environment);
    const rows = await countRows(environment);
    const succeeded = tally[200] ?? 0;
    return {
      result: `${toggles} requests ${JSON.stringify(tally)}: ${drift || 'drift 0'}, over ${rows} rows`,
      ok: drift === '' && rows > 0 && succeeded > toggles / 2 && statuses.every((status) => status < 500),
    };
  },
};

const pick = <T>(all: T[]): T => all[Math.floor(Math.random() * all.length)] as T;

/** A random request. Few people and events, so that most requests contend for the same rows. */
function toggle(people: Person[], events: string[]): Toggle {
  const chance = Math.random();
  if (chance < 0.6) {
    const status = pick(['going', 'interested', null]);
    return { method: 'POST', path: `/v1/events/${pick(events)}/rsvp`, body: { status } };
  }
  const relation = chance < 0.9 ? 'follow' : 'block';
  // More blocks are removed than set; otherwise most people would soon block each other.
  const undoShare = relation === 'follow' ? 0.4 : 0.7;
  return {
    method: Math.random() < undoShare ? 'DELETE' : 'POST',
    path: `/v1/users/${pick(people).id}/${relation}`,
  };
}

/** @returns the counters that differ from the rows that they count, or an empty text */
async function findDrift({ sql }: Environment): Promise<string> {
  return assertCounters(sql).then(
    () => '',
    (error: Error) => error.message.slice(0, maxDriftLength),
  );
}

/** The number of rows that the counters count; it must not be 0. */
async function countRows({ sql }: Environment): Promise<number> {
  const [row] = await sql<[{ rows: number }]>`
    select ((select count(*) from rsvps) + (select count(*) from relations where follows or blocks))::int as rows`;
  return row.rows;
}
