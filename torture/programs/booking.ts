import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounters } from '../../test/support/invariants.ts';
import { runConcurrently } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import { assignPhones } from '../phones.ts';
import type { Program } from '../program.ts';

/** The result shows at most this many characters of a drift, which may name thousands of rows. */
const maxDriftLength = 1_000;

type BookingRun = { environment: Environment; event: string; statuses: number[]; deletedAccounts: number };

export const booking: Program = {
  name: 'booking',
  expectation:
    '10,000 users book, change and cancel 1,000 seats and delete their accounts over two servers, with ' +
    'concurrent reads: the capacity is never exceeded, the waitlist is strictly in order, no 5xx',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const [number, capacity] = [size(10_000, 400), size(1_000, 60)];
    const environment = await startEnvironment();
    const [host, ...people] = await environment.people(number + 1);
    if (!host) throw new Error('no people were created');
    await assignPhones(environment, people);
    const event = await createEvent(environment, host, { capacity });
    const run: BookingRun = { environment, event, statuses: [], deletedAccounts: 0 };
    const reading = new AbortController();
    const samples = sample(environment, event, capacity, reading.signal);
    let done = 0;
    await runConcurrently(number, 256, async (i) => {
      if (++done % 100 === 0) progress(`${done} of ${number}`);
      await attend(run, people[i] as Person, i);
    }).finally(() => reading.abort());
    const { reads, wrong } = await samples;
    const drift = await assertCounters(environment.sql).then(
      () => '',
      (error: Error) => `; ${error.message.slice(0, maxDriftLength)}`,
    );
    const failed = run.statuses.filter((status) => status >= 500).length;
    return {
      result:
        `${run.statuses.length} requests ${JSON.stringify(countValues(run.statuses))}, ${run.deletedAccounts} accounts deleted: ` +
        `${wrong} of ${reads} snapshots wrong, ${failed} responses with a 5xx${drift}`,
      ok: wrong + failed === 0 && drift === '' && reads > 0 && run.deletedAccounts > 0,
    };
  },
};

/**
 * Books for one person. Depending on `i`, also cancels, books again, changes the seats or deletes the
 * account.
 */
async function attend(run: BookingRun, person: Person, i: number): Promise<void> {
  const path = `/v1/events/${run.event}/booking`;
  const send = async (method: string, to = path, body?: unknown) => {
    const call = { token: person.token, ...(body !== undefined && { body }) };
    const response = await run.environment.client.send(method, to, call);
    run.statuses.push(response.status);
    return response;
  };
  await send('POST', path, { seats: 1 + (i % 4), waitlist: true });
  if (i % 3 === 0) await send('DELETE');
  if (i % 6 === 0) await send('POST', path, { seats: 1 + (i % 2), waitlist: i % 12 === 0 });
  if (i % 5 === 1) await send('PATCH', path, { seats: 1 + (i % 3) });
  if (i % 20 !== 7) return;
  const { body } = await send('POST', '/v1/me/delete-code');
  const { status } = await send('DELETE', '/v1/me', { confirmCode: body.devCode });
  if (status === 200) run.deletedAccounts++;
}

/** Repeatedly checks the capacity, the counters, and that no booking overtakes the waitlist. */
async function sample({ sql }: Environment, event: string, capacity: number, signal: AbortSignal) {
  const result = { reads: 0, wrong: 0 };
  while (!signal.aborted) {
    const [row] = await sql<[{ isConsistent: boolean }]>`
      select c.booked_count = b.seats and c.waiting_count = b.waiting and b.seats <= ${capacity}
        and coalesce(b.last_booked < b.first_waiting, true)
        and not exists (
          select 1 from bookings w where w.event_id = c.event_id and w.n = b.first_waiting and b.seats + w.seats <= ${capacity}
        ) as is_consistent
      from event_counters c, (
        select coalesce(sum(seats) filter (where status = 'booked'), 0) as seats,
          count(*) filter (where status = 'waiting') as waiting,
          max(n) filter (where status = 'booked') as last_booked, min(n) filter (where status = 'waiting') as first_waiting
        from bookings where event_id = ${event}
      ) b
      where c.event_id = ${event}`;
    result.reads++;
    if (!row.isConsistent) result.wrong++;
    await sleep(10);
  }
  return result;
}
