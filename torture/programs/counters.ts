import { assertCounters } from '../../test/invariants.ts';
import { each } from '../client.ts';
import { count } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import type { Program } from '../program.ts';

/** What is said of a drift: its rows may be thousands. */
const longest = 1_000;

type Toggle = { method: string; path: string; body?: unknown };

export const counters: Program = {
  name: 'counters',
  promise: '100,000 RSVPs, follows and blocks to and fro over two servers: no counter drifts',
  quick: true,
  async run({ size, open, progress }) {
    const [toggles, crowd] = [size(100_000, 1_000), size(200, 40)];
    const environment = await open();
    const people = await environment.people(crowd);
    const events = await each(10, 1, () => createEvent(environment, people[0] as Person));
    let done = 0;
    const statuses = await each(toggles, 128, async () => {
      if (++done % 1_000 === 0) progress(`${done} of ${toggles}`);
      const { method, path, body } = toggle(people, events);
      const { status } = await environment.client.ask(method, path, {
        token: pick(people).token,
        ...(body !== undefined && { body }),
      });
      return status;
    });
    const tally = count(statuses);
    const drift = await driftOf(environment);
    const counted = await countedOf(environment);
    const done200 = tally[200] ?? 0;
    return {
      figure: `${toggles} toggles, answered ${JSON.stringify(tally)}: ${drift || 'drift 0'}, over ${counted} rows`,
      ok: drift === '' && counted > 0 && done200 > toggles / 2 && statuses.every((status) => status < 500),
    };
  },
};

const pick = <T>(all: T[]): T => all[Math.floor(Math.random() * all.length)] as T;

/** Few people and events, so that most requests meet others on the same rows, and themselves. */
function toggle(people: Person[], events: string[]): Toggle {
  const chance = Math.random();
  if (chance < 0.6) {
    const status = pick(['going', 'interested', null]);
    return { method: 'POST', path: `/v1/events/${pick(events)}/rsvp`, body: { status } };
  }
  const what = chance < 0.9 ? 'follow' : 'block';
  // More is undone than blocked, or soon everybody would stand against everybody.
  const undo = what === 'follow' ? 0.4 : 0.7;
  return { method: Math.random() < undo ? 'DELETE' : 'POST', path: `/v1/users/${pick(people).id}/${what}` };
}

/** What is off, in words; nothing where every counter equals the rows that it counts. */
async function driftOf({ sql }: Environment): Promise<string> {
  return assertCounters(sql).then(
    () => '',
    (error: Error) => error.message.slice(0, longest),
  );
}

/** There must have been something to count. */
async function countedOf({ sql }: Environment): Promise<number> {
  const [row] = await sql<[{ rows: number }]>`
    select ((select count(*) from rsvps) + (select count(*) from relations where follows or blocks))::int as rows`;
  return row.rows;
}
