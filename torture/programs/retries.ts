import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../../test/support/factories.ts';
import { runConcurrently } from '../client.ts';
import type { Environment } from '../environment.ts';
import { createEvent, createItem, insertGoingRsvps } from '../factories.ts';
import type { Program } from '../program.ts';

type PostRequest = { token: string; path: string; body: unknown };

/**
 * Sends a request with one key until a final response arrives, and then once more.
 * @returns whether both ids agree
 */
async function sendUntilFinal(
  { client }: Environment,
  { token, path, body }: PostRequest,
  tally: { sent: number },
) {
  const headers = { 'idempotency-key': randomUUID() };
  for (let firstId = ''; ; ) {
    tally.sent++;
    const response = await client.send('POST', path, { token, body, headers }).catch(() => null);
    // The server was killed, or the outcome of the request is not known yet.
    if (!response || response.status === 503 || response.status === 409) {
      await sleep(20);
      continue;
    }
    if (response.status !== 201) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
    const id: string = response.body.id;
    if (firstId) return firstId === id;
    firstId = id;
  }
}

/**
 * Repeatedly replaces a server by a new one, until the state is over.
 * @returns the number of killed servers
 */
async function killServers(environment: Environment, state: { isOver: boolean }): Promise<number> {
  for (let kills = 0; ; kills++) {
    await sleep(150);
    if (state.isOver) return kills;
    await environment.replace(0);
  }
}

export const retries: Program = {
  name: 'retries',
  expectation:
    'events, items and claims are sent with an Idempotency-Key and repeated until a response arrives, ' +
    'while servers are killed: each is created once',
  async run({ size, startEnvironment, progress }) {
    const people = size(1_000, 200);
    const environment = await startEnvironment();
    const [organizer, ...claimers] = await environment.people(people + 1);
    if (!organizer) throw new Error('no people were created');
    const event = await createEvent(environment, organizer);
    const item = await createItem(environment, organizer, event, 10_000);
    // Items are added to another event, because adding an item locks its event against claims.
    const itemEvent = await createEvent(environment, organizer);
    await insertGoingRsvps(environment, event, claimers);
    const tally = { sent: 0 };
    const state = { isOver: false };
    const killer = killServers(environment, state);
    const responses = await runConcurrently(people * 3, 128, async (i) => {
      if (i % 300 === 0) progress(`${i} of ${people * 3}`);
      const token = claimers[Math.floor(i / 3)]?.token ?? '';
      const requests: PostRequest[] = [
        { token, path: '/v1/events', body: eventBody() },
        { token, path: `/v1/items/${item}/claim`, body: { quantity: 1 } },
        {
          token: organizer.token,
          path: `/v1/events/${itemEvent}/items`,
          body: { title: 'Plates', kind: 'bring', quantityNeeded: 1 },
        },
      ];
      const request = requests[i % 3];
      return request ? sendUntilFinal(environment, request, tally) : false;
    }).finally(() => {
      state.isOver = true;
    });
    const kills = await killer;
    const [row] = await environment.sql<[{ events: number; items: number; claims: number; stock: number }]>`
      select (select count(*)::int from events) - 2 as events, (select count(*)::int from items) - 1 as items,
        (select count(*)::int from claims) as claims,
        (select claimed from item_stock where event_id = ${event} and n = 1) as stock`;
    const isEachCreatedOnce = [row.events, row.items, row.claims, row.stock].every(
      (created) => created === people,
    );
    return {
      result:
        `${row.events} events, ${row.items} items, ${row.claims} claims of ${people} each; ` +
        `${tally.sent} requests, ${kills} servers killed`,
      ok: isEachCreatedOnce && responses.every(Boolean) && kills > 0,
    };
  },
};
