import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounters } from '../../test/invariants.ts';
import { stop } from '../../test/processes.ts';
import type { ClientResponse } from '../client.ts';
import { count } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem, insertGoingRsvps } from '../factories.ts';
import { Ledger } from '../ledger.ts';
import { givePhones } from '../phones.ts';
import type { Program } from '../program.ts';

const events = 4;
const itemsEach = 6;
const needed = 300;
const hands = 48;
/** What is said of a drift: its rows may be thousands. */
const longest = 1_000;
/** When so few are left, nobody leaves any more. */
const fewest = 100;

type Scene = {
  environment: Environment;
  ledger: Ledger;
  host: Person;
  /** Who is not busy at the moment. */
  free: Person[];
  /** By event, the items that are there. */
  items: Map<string, string[]>;
  /** Items whose need somebody is just changing. */
  changing: Set<string>;
  statuses: number[];
  gone: number;
  /** Claims that were granted and not there when they were changed or given back, or were kept from shrinking. */
  lost: number;
  until: number;
};

export const ledger: Program = {
  name: 'ledger',
  promise:
    'claims, their changes and return, changes and deletion of items, deletion of accounts for 2 minutes, ' +
    'read all the while: the sum of the claims is what is claimed at every read, no deadlock, no 5xx',
  async run({ size, open, progress }) {
    const [ms, people] = [size(120_000, 5_000), size(4_000, 400)];
    const environment = await open();
    const scene = await prepare(environment, people, ms);
    const before = await deadlocks(environment);
    const reading = Promise.all([readByHttp(scene, 0), readByHttp(scene, 1), readBySql(scene)]);
    const tick = setInterval(() => progress(`${scene.statuses.length} writes`), 1_000);
    await Promise.all(Array.from({ length: hands }, () => work(scene))).finally(async () => {
      clearInterval(tick);
      scene.until = 0;
      await reading;
    });
    const [first, second, snapshots] = await reading;
    const drift = await assertCounters(environment.sql).then(
      () => '',
      (error: Error) => `; ${error.message.slice(0, longest)}`,
    );
    // What a connection counted is certain to be told when it ends.
    for (const server of environment.servers) await stop(server, 'SIGTERM');
    const fought = (await deadlocks(environment)) - before;
    const failed = scene.statuses.filter((status) => status >= 500).length;
    const off = first.off + second.off + snapshots.off;
    return {
      figure:
        `${scene.statuses.length} writes ${JSON.stringify(count(scene.statuses))}, ${scene.gone} accounts deleted: ` +
        `${off} of ${first.reads + second.reads} lists and ${snapshots.reads} snapshots are off, ` +
        `${scene.lost} claims lost, ${fought} deadlocks, ${failed} answers of 5xx${drift}`,
      ok: off + scene.lost + fought + failed === 0 && drift === '' && snapshots.reads > 0 && first.reads > 0,
    };
  },
};

async function prepare(environment: Environment, number: number, ms: number): Promise<Scene> {
  const [host, ...people] = await environment.people(number + 1);
  if (!host) throw new Error('nobody came');
  await givePhones(environment, people);
  const ledger = new Ledger();
  const items = new Map<string, string[]>();
  for (let i = 0; i < events; i++) {
    const event = await createEvent(environment, host);
    await insertGoingRsvps(environment, event, people);
    items.set(event, []);
    for (let n = 0; n < itemsEach; n++)
      items.get(event)?.push(await createItem(environment, host, event, needed));
  }
  for (const item of [...items.values()].flat()) ledger.add(item, needed);
  const until = performance.now() + ms;
  const changing = new Set<string>();
  return { environment, ledger, host, free: people, items, changing, statuses: [], gone: 0, lost: 0, until };
}

const pick = <T>(all: T[]): T | undefined => all[Math.floor(Math.random() * all.length)];

/** One person at a time does one thing: what else goes on is done by the others. */
async function work(scene: Scene): Promise<void> {
  while (performance.now() < scene.until) {
    const [person] = scene.free.splice(Math.floor(Math.random() * scene.free.length), 1);
    if (!person) throw new Error('everybody has left');
    const chance = Math.random();
    if (chance < 0.01) await replaceItem(scene);
    else if (chance < 0.03) await needMoreOrLess(scene);
    const claimed = pick(scene.ledger.claimsOf(person.id));
    if (chance > 0.985 && scene.free.length > fewest) await depart(scene, person);
    else if (claimed && chance < 0.4) await giveBack(scene, person, claimed);
    else if (claimed && chance < 0.65) await changeClaim(scene, person, claimed);
    else await claim(scene, person);
  }
}

async function claim(scene: Scene, person: Person): Promise<void> {
  const item = pick([...scene.items.values()].flat());
  if (item && !scene.ledger.claimsOf(person.id).includes(item)) {
    const quantity = 1 + Math.floor(Math.random() * 3);
    const entry = scene.ledger.begin(item, person.id, quantity);
    const { status } = await told(scene, 'POST', `/v1/items/${item}/claim`, person, { quantity });
    if (status === 201) entry.made();
    else entry.refused();
  }
  scene.free.push(person);
}

async function giveBack(scene: Scene, person: Person, item: string): Promise<void> {
  const end = scene.ledger.end(item, person.id);
  const { status } = await told(scene, 'DELETE', `/v1/items/${item}/claim`, person);
  // Unless the item went just before, whoever claimed has it.
  if (status === 404 && !scene.ledger.isGoing(item)) scene.lost++;
  end(status < 500);
  scene.free.push(person);
}

async function changeClaim(scene: Scene, person: Person, item: string): Promise<void> {
  const quantity = 1 + Math.floor(Math.random() * 3);
  const isLess = quantity <= scene.ledger.quantityOf(item, person.id);
  const change = scene.ledger.change(item, person.id, quantity);
  const { status } = await told(scene, 'PATCH', `/v1/items/${item}/claim`, person, { quantity });
  // As with what is given back; and less is refused to nobody.
  if ((status === 404 && !scene.ledger.isGoing(item)) || (status === 422 && isLess)) scene.lost++;
  if (status === 200) change.made();
  else if (status === 404) change.gone();
  else change.refused();
  scene.free.push(person);
}

async function needMoreOrLess(scene: Scene): Promise<void> {
  const { ledger, host, items, changing } = scene;
  const item = pick([...items.values()].flat());
  if (!item || changing.has(item)) return;
  changing.add(item);
  const quantityNeeded = needed / 2 + Math.floor((Math.random() * needed) / 2);
  const need = ledger.need(item, quantityNeeded);
  const { status, body } = await told(scene, 'PATCH', `/v1/items/${item}`, host, { quantityNeeded });
  if (status === 200 && body.quantityClaimed > body.quantityNeeded) scene.lost++;
  if (status === 200) need.made();
  else if (status < 500) need.refused();
  else need.unknown();
  changing.delete(item);
}

async function replaceItem(scene: Scene): Promise<void> {
  const { ledger, host, items } = scene;
  const event = pick([...items.keys()]) ?? '';
  const here = items.get(event) ?? [];
  const item = here.splice(Math.floor(Math.random() * here.length), 1)[0];
  if (!item) return;
  ledger.leaving(item);
  const { status } = await told(scene, 'DELETE', `/v1/items/${item}`, host);
  if (status === 200) ledger.remove(item);
  const plates = { kind: 'bring', title: 'Plates', quantityNeeded: needed };
  const { body } = await told(scene, 'POST', `/v1/events/${event}/items`, host, plates);
  if (!body.id) return;
  ledger.add(body.id, needed);
  here.push(body.id);
}

async function depart(scene: Scene, person: Person): Promise<void> {
  const { body } = await told(scene, 'POST', '/v1/me/delete-code', person);
  const ends = scene.ledger.claimsOf(person.id).map((item) => scene.ledger.end(item, person.id));
  const { status } = await told(scene, 'DELETE', '/v1/me', person, { confirmCode: body.devCode });
  for (const end of ends) end(status === 200);
  if (status === 200) scene.gone++;
}

async function told(
  { environment, statuses }: Scene,
  method: string,
  path: string,
  { token }: Person,
  body?: unknown,
): Promise<ClientResponse> {
  const answer = await environment.client.ask(method, path, { token, ...(body !== undefined && { body }) });
  statuses.push(answer.status);
  return answer;
}

type Reads = { reads: number; off: number };

/** Lists on one of the servers, by turns with and without a token, against what was acknowledged and under way. */
async function readByHttp(scene: Scene, nth: number): Promise<Reads> {
  const { environment, ledger, host, items, statuses } = scene;
  const seen: Reads = { reads: 0, off: 0 };
  const server = environment.servers[nth];
  if (!server) throw new Error('two servers are needed');
  while (performance.now() < scene.until) {
    const event = pick([...items.keys()]) ?? '';
    const look = ledger.look([...(items.get(event) ?? [])]);
    const token = seen.reads % 2 === 0 ? {} : { token: host.token };
    const { status, body } = await environment.client.ask('GET', `/v1/events/${event}/items`, {
      server,
      ...token,
    });
    statuses.push(status);
    seen.reads++;
    if (status !== 200 || !look(body.data)) seen.off++;
    await sleep(5);
  }
  return seen;
}

/** Sums and stocks of all items at one moment, in the database. */
async function readBySql(scene: Scene): Promise<Reads> {
  const { sql } = scene.environment;
  const seen: Reads = { reads: 0, off: 0 };
  while (performance.now() < scene.until) {
    const off = await sql.begin(async (tx) => {
      const sums = await tx<{ id: string; sum: number }[]>`
        select event_id || '.' || n as id, sum(quantity)::int as sum from claims group by event_id, n`;
      const stock = await tx<{ id: string; claimed: number; needed: number }[]>`
        select event_id || '.' || n as id, claimed, needed from item_stock`;
      const sumOf = new Map(sums.map(({ id, sum }) => [id, sum]));
      const wrong = stock.filter(
        ({ id, claimed, needed }) => claimed !== (sumOf.get(id) ?? 0) || claimed > needed,
      );
      const known = new Set(stock.map(({ id }) => id));
      return wrong.length + sums.filter(({ id }) => !known.has(id)).length;
    }, 'isolation level repeatable read, read only');
    seen.reads++;
    if (off > 0) seen.off++;
    await sleep(20);
  }
  return seen;
}

async function deadlocks({ sql }: Environment): Promise<number> {
  const [row] = await sql<[{ deadlocks: number }]>`
    select deadlocks::int from pg_stat_database where datname = current_database()`;
  return row.deadlocks;
}
