import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../../test/factories.ts';
import { each } from '../client.ts';
import type { Environment } from '../environment.ts';
import { createEvent, createItem, insertGoingRsvps } from '../factories.ts';
import type { Program } from '../program.ts';

type Post = { token: string; path: string; body: unknown };

/** Sends it under one key, to whichever server, until it is answered for good; and then once more. */
async function insist({ client }: Environment, { token, path, body }: Post, tally: { sent: number }) {
  const headers = { 'idempotency-key': randomUUID() };
  for (let answered = ''; ; ) {
    tally.sent++;
    const answer = await client.ask('POST', path, { token, body, headers }).catch(() => null);
    // A server that was killed, or that cannot say what became of it.
    if (!answer || answer.status === 503 || answer.status === 409) {
      await sleep(20);
      continue;
    }
    if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    const id: string = answer.body.id;
    if (answered) return answered === id;
    answered = id;
  }
}

/** Kills one server after the other, and starts another in its place, until it is told to stop. */
async function killServers(environment: Environment, over: { yet: boolean }): Promise<number> {
  for (let kills = 0; ; kills++) {
    await sleep(150);
    if (over.yet) return kills;
    await environment.replace(0);
  }
}

export const retries: Program = {
  name: 'retries',
  promise:
    'events, items and claims sent under an Idempotency-Key until they are answered, while servers are killed: each made once',
  async run({ size, open, progress }) {
    const people = size(1_000, 200);
    const environment = await open();
    const [organizer, ...crowd] = await environment.people(people + 1);
    if (!organizer) throw new Error('nobody came');
    const event = await createEvent(environment, organizer);
    const item = await createItem(environment, organizer, event, 10_000);
    // Apart: whoever adds an item holds its event against those who claim on it.
    const other = await createEvent(environment, organizer);
    await insertGoingRsvps(environment, event, crowd);
    const tally = { sent: 0 };
    const over = { yet: false };
    const killing = killServers(environment, over);
    const answers = await each(people * 3, 128, async (i) => {
      if (i % 300 === 0) progress(`${i} of ${people * 3}`);
      const token = crowd[Math.floor(i / 3)]?.token ?? '';
      const things: Post[] = [
        { token, path: '/v1/events', body: eventBody() },
        { token, path: `/v1/items/${item}/claim`, body: { quantity: 1 } },
        {
          token: organizer.token,
          path: `/v1/events/${other}/items`,
          body: { title: 'Plates', kind: 'bring', quantityNeeded: 1 },
        },
      ];
      const thing = things[i % 3];
      return thing ? insist(environment, thing, tally) : false;
    }).finally(() => {
      over.yet = true;
    });
    const kills = await killing;
    const [row] = await environment.sql<[{ events: number; items: number; claims: number; stock: number }]>`
      select (select count(*)::int from events) - 2 as events, (select count(*)::int from items) - 1 as items,
        (select count(*)::int from claims) as claims,
        (select claimed from item_stock where event_id = ${event} and n = 1) as stock`;
    const isOnce = [row.events, row.items, row.claims, row.stock].every((made) => made === people);
    return {
      figure:
        `${row.events} events, ${row.items} items, ${row.claims} claims of ${people} each; ` +
        `${tally.sent} requests, ${kills} servers killed`,
      ok: isOnce && answers.every(Boolean) && kills > 0,
    };
  },
};
