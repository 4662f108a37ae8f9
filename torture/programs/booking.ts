import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounters } from '../../test/invariants.ts';
import { each } from '../client.ts';
import { count } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import { givePhones } from '../phones.ts';
import type { Program } from '../program.ts';

/** What is said of a drift: its rows may be thousands. */
const longest = 1_000;

type Scene = { environment: Environment; event: string; statuses: number[]; gone: number };

export const booking: Program = {
  name: 'booking',
  promise:
    '10,000 people on 1,000 seats book, change, cancel and delete their accounts over two servers, read all the ' +
    'while: never more seats than there are, the waitlist strictly in order, no 5xx',
  quick: true,
  async run({ size, open, progress }) {
    const [number, capacity] = [size(10_000, 400), size(1_000, 60)];
    const environment = await open();
    const [host, ...people] = await environment.people(number + 1);
    if (!host) throw new Error('nobody came');
    await givePhones(environment, people);
    const event = await createEvent(environment, host, { capacity });
    const scene: Scene = { environment, event, statuses: [], gone: 0 };
    const reading = new AbortController();
    const samples = sample(environment, event, capacity, reading.signal);
    let done = 0;
    await each(number, 256, async (i) => {
      if (++done % 100 === 0) progress(`${done} of ${number}`);
      await attend(scene, people[i] as Person, i);
    }).finally(() => reading.abort());
    const { reads, off } = await samples;
    const drift = await assertCounters(environment.sql).then(
      () => '',
      (error: Error) => `; ${error.message.slice(0, longest)}`,
    );
    const failed = scene.statuses.filter((status) => status >= 500).length;
    return {
      figure:
        `${scene.statuses.length} requests ${JSON.stringify(count(scene.statuses))}, ${scene.gone} accounts deleted: ` +
        `${off} of ${reads} snapshots are off, ${failed} answers of 5xx${drift}`,
      ok: off + failed === 0 && drift === '' && reads > 0 && scene.gone > 0,
    };
  },
};

/** What one person does: book or wait, and then, by turns, nothing, cancel, come back, take fewer or more, go for good. */
async function attend(scene: Scene, person: Person, i: number): Promise<void> {
  const path = `/v1/events/${scene.event}/booking`;
  const ask = async (method: string, to = path, body?: unknown) => {
    const call = { token: person.token, ...(body !== undefined && { body }) };
    const answer = await scene.environment.client.ask(method, to, call);
    scene.statuses.push(answer.status);
    return answer;
  };
  await ask('POST', path, { seats: 1 + (i % 4), waitlist: true });
  if (i % 3 === 0) await ask('DELETE');
  if (i % 6 === 0) await ask('POST', path, { seats: 1 + (i % 2), waitlist: i % 12 === 0 });
  if (i % 5 === 1) await ask('PATCH', path, { seats: 1 + (i % 3) });
  if (i % 20 !== 7) return;
  const { body } = await ask('POST', '/v1/me/delete-code');
  const { status } = await ask('DELETE', '/v1/me', { confirmCode: body.devCode });
  if (status === 200) scene.gone++;
}

/** What must be true at any one moment: seats, counters, and that nobody is booked past somebody who waits. */
async function sample({ sql }: Environment, event: string, capacity: number, signal: AbortSignal) {
  const seen = { reads: 0, off: 0 };
  while (!signal.aborted) {
    const [row] = await sql<[{ isRight: boolean }]>`
      select c.booked_count = b.seats and c.waiting_count = b.waiting and b.seats <= ${capacity}
        and coalesce(b.last_booked < b.first_waiting, true)
        and not exists (
          select 1 from bookings w where w.event_id = c.event_id and w.n = b.first_waiting and b.seats + w.seats <= ${capacity}
        ) as is_right
      from event_counters c, (
        select coalesce(sum(seats) filter (where status = 'booked'), 0) as seats,
          count(*) filter (where status = 'waiting') as waiting,
          max(n) filter (where status = 'booked') as last_booked, min(n) filter (where status = 'waiting') as first_waiting
        from bookings where event_id = ${event}
      ) b
      where c.event_id = ${event}`;
    seen.reads++;
    if (!row.isRight) seen.off++;
    await sleep(10);
  }
  return seen;
}
