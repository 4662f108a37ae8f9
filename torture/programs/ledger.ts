import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounters } from '../../test/support/invariants.ts';
import { stop } from '../../test/support/processes.ts';
import type { ClientResponse } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem, insertGoingRsvps } from '../factories.ts';
import { Ledger } from '../ledger.ts';
import { assignPhones } from '../phones.ts';
import type { Program } from '../program.ts';

const eventCount = 4;
const itemsPerEvent = 6;
const quantityNeededMax = 300;
const concurrency = 48;
/** The result shows at most this many characters of a drift, which may name thousands of rows. */
const maxDriftLength = 1_000;
/** Accounts are deleted only while more people than this are left. */
const minPeople = 100;

type LedgerRun = {
  environment: Environment;
  ledger: Ledger;
  host: Person;
  /** People without a running request. */
  idle: Person[];
  /** Item ids by event. */
  items: Map<string, string[]>;
  /** Items with a running request that changes `quantityNeeded`. */
  changing: Set<string>;
  statuses: number[];
  deletedAccounts: number;
  /**
   * Acknowledged claims that were missing when they were changed or returned, or that could not be reduced.
   */
  lost: number;
  until: number;
};

export const ledger: Program = {
  name: 'ledger',
  expectation:
    'claims, changes and returns of claims, changes and deletions of items, and deletions of accounts for ' +
    '2 minutes, with concurrent reads: the sum of the claims equals the quantity claimed at every read, ' +
    'no deadlock, no 5xx',
  async run({ size, startEnvironment, progress }) {
    const [ms, people] = [size(120_000, 5_000), size(4_000, 400)];
    const environment = await startEnvironment();
    const run = await prepare(environment, people, ms);
    const before = await countDeadlocks(environment);
    const reading = Promise.all([readByHttp(run, 0), readByHttp(run, 1), readBySql(run)]);
    const tick = setInterval(() => progress(`${run.statuses.length} writes`), 1_000);
    await Promise.all(Array.from({ length: concurrency }, () => work(run))).finally(async () => {
      clearInterval(tick);
      run.until = 0;
      await reading;
    });
    const [first, second, snapshots] = await reading;
    const drift = await assertCounters(environment.sql).then(
      () => '',
      (error: Error) => `; ${error.message.slice(0, maxDriftLength)}`,
    );
    // A connection reports its statistics at the latest when it closes.
    for (const server of environment.servers) await stop(server, 'SIGTERM');
    const deadlocked = (await countDeadlocks(environment)) - before;
    const failed = run.statuses.filter((status) => status >= 500).length;
    const wrong = first.wrong + second.wrong + snapshots.wrong;
    return {
      result:
        `${run.statuses.length} writes ${JSON.stringify(countValues(run.statuses))}, ${run.deletedAccounts} accounts deleted: ` +
        `${wrong} of ${first.reads + second.reads} lists and ${snapshots.reads} snapshots wrong, ` +
        `${run.lost} claims lost, ${deadlocked} deadlocks, ${failed} responses with a 5xx${drift}`,
      ok:
        wrong + run.lost + deadlocked + failed === 0 &&
        drift === '' &&
        snapshots.reads > 0 &&
        first.reads > 0,
    };
  },
};

async function prepare(environment: Environment, number: number, ms: number): Promise<LedgerRun> {
  const [host, ...people] = await environment.people(number + 1);
  if (!host) throw new Error('no people were created');
  await assignPhones(environment, people);
  const ledger = new Ledger();
  const items = new Map<string, string[]>();
  for (let i = 0; i < eventCount; i++) {
    const event = await createEvent(environment, host);
    await insertGoingRsvps(environment, event, people);
    items.set(event, []);
    for (let n = 0; n < itemsPerEvent; n++)
      items.get(event)?.push(await createItem(environment, host, event, quantityNeededMax));
  }
  for (const item of [...items.values()].flat()) ledger.add(item, quantityNeededMax);
  const until = performance.now() + ms;
  const changing = new Set<string>();
  return {
    environment,
    ledger,
    host,
    idle: people,
    items,
    changing,
    statuses: [],
    deletedAccounts: 0,
    lost: 0,
    until,
  };
}

const pick = <T>(all: T[]): T | undefined => all[Math.floor(Math.random() * all.length)];

/** Repeatedly picks an idle person and a random request; no person has two requests at a time. */
async function work(run: LedgerRun): Promise<void> {
  while (performance.now() < run.until) {
    const [person] = run.idle.splice(Math.floor(Math.random() * run.idle.length), 1);
    if (!person) throw new Error('no idle person is left');
    const chance = Math.random();
    if (chance < 0.01) await replaceItem(run);
    else if (chance < 0.03) await changeQuantityNeeded(run);
    const claimed = pick(run.ledger.claimsOf(person.id));
    if (chance > 0.985 && run.idle.length > minPeople) await deleteAccount(run, person);
    else if (claimed && chance < 0.4) await returnClaim(run, person, claimed);
    else if (claimed && chance < 0.65) await changeClaim(run, person, claimed);
    else await claim(run, person);
  }
}

async function claim(run: LedgerRun, person: Person): Promise<void> {
  const item = pick([...run.items.values()].flat());
  if (item && !run.ledger.claimsOf(person.id).includes(item)) {
    const quantity = 1 + Math.floor(Math.random() * 3);
    const entry = run.ledger.beginClaim(item, person.id, quantity);
    const { status } = await send(run, 'POST', `/v1/items/${item}/claim`, person, { quantity });
    if (status === 201) entry.succeeded();
    else entry.refused();
  }
  run.idle.push(person);
}

async function returnClaim(run: LedgerRun, person: Person, item: string): Promise<void> {
  const end = run.ledger.endClaim(item, person.id);
  const { status } = await send(run, 'DELETE', `/v1/items/${item}/claim`, person);
  // An acknowledged claim must exist, unless its item is being deleted.
  if (status === 404 && !run.ledger.isBeingDeleted(item)) run.lost++;
  end(status < 500);
  run.idle.push(person);
}

async function changeClaim(run: LedgerRun, person: Person, item: string): Promise<void> {
  const quantity = 1 + Math.floor(Math.random() * 3);
  const isReduction = quantity <= run.ledger.quantityOf(item, person.id);
  const change = run.ledger.changeClaim(item, person.id, quantity);
  const { status } = await send(run, 'PATCH', `/v1/items/${item}/claim`, person, { quantity });
  // The claim must exist, as in `returnClaim`; a smaller quantity is always available.
  if ((status === 404 && !run.ledger.isBeingDeleted(item)) || (status === 422 && isReduction)) run.lost++;
  if (status === 200) change.succeeded();
  else if (status === 404) change.notFound();
  else change.refused();
  run.idle.push(person);
}

async function changeQuantityNeeded(run: LedgerRun): Promise<void> {
  const { ledger, host, items, changing } = run;
  const item = pick([...items.values()].flat());
  if (!item || changing.has(item)) return;
  changing.add(item);
  const quantityNeeded = quantityNeededMax / 2 + Math.floor((Math.random() * quantityNeededMax) / 2);
  const need = ledger.setNeeded(item, quantityNeeded);
  const { status, body } = await send(run, 'PATCH', `/v1/items/${item}`, host, { quantityNeeded });
  if (status === 200 && body.quantityClaimed > body.quantityNeeded) run.lost++;
  if (status === 200) need.succeeded();
  else if (status < 500) need.refused();
  else need.unknown();
  changing.delete(item);
}

async function replaceItem(run: LedgerRun): Promise<void> {
  const { ledger, host, items } = run;
  const event = pick([...items.keys()]) ?? '';
  const here = items.get(event) ?? [];
  const item = here.splice(Math.floor(Math.random() * here.length), 1)[0];
  if (!item) return;
  ledger.beginDelete(item);
  const { status } = await send(run, 'DELETE', `/v1/items/${item}`, host);
  if (status === 200) ledger.remove(item);
  const plates = { kind: 'bring', title: 'Plates', quantityNeeded: quantityNeededMax };
  const { body } = await send(run, 'POST', `/v1/events/${event}/items`, host, plates);
  if (!body.id) return;
  ledger.add(body.id, quantityNeededMax);
  here.push(body.id);
}

async function deleteAccount(run: LedgerRun, person: Person): Promise<void> {
  const { body } = await send(run, 'POST', '/v1/me/delete-code', person);
  const ends = run.ledger.claimsOf(person.id).map((item) => run.ledger.endClaim(item, person.id));
  const { status } = await send(run, 'DELETE', '/v1/me', person, { confirmCode: body.devCode });
  for (const end of ends) end(status === 200);
  if (status === 200) run.deletedAccounts++;
}

async function send(
  { environment, statuses }: LedgerRun,
  method: string,
  path: string,
  { token }: Person,
  body?: unknown,
): Promise<ClientResponse> {
  const response = await environment.client.send(method, path, {
    token,
    ...(body !== undefined && { body }),
  });
  statuses.push(response.status);
  return response;
}

type ReadResult = { reads: number; wrong: number };

/** Repeatedly reads lists from one server, with and without a token, and compares them with the ledger. */
async function readByHttp(run: LedgerRun, serverIndex: number): Promise<ReadResult> {
  const { environment, ledger, host, items, statuses } = run;
  const result: ReadResult = { reads: 0, wrong: 0 };
  const server = environment.servers[serverIndex];
  if (!server) throw new Error('two servers are needed');
  while (performance.now() < run.until) {
    const event = pick([...items.keys()]) ?? '';
    const isPossible = ledger.expectList([...(items.get(event) ?? [])]);
    const token = result.reads % 2 === 0 ? {} : { token: host.token };
    const { status, body } = await environment.client.send('GET', `/v1/events/${event}/items`, {
      server,
      ...token,
    });
    statuses.push(status);
    result.reads++;
    if (status !== 200 || !isPossible(body.data)) result.wrong++;
    await sleep(5);
  }
  return result;
}

/** Repeatedly compares the sums of claims with the stock of all items, each in one database snapshot. */
async function readBySql(run: LedgerRun): Promise<ReadResult> {
  const { sql } = run.environment;
  const result: ReadResult = { reads: 0, wrong: 0 };
  while (performance.now() < run.until) {
    const mismatches = await sql.begin(async (tx) => {
      const sums = await tx<{ id: string; sum: number }[]>`
        select event_id || '.' || n as id, sum(quantity)::int as sum from claims group by event_id, n`;
      const stock = await tx<{ id: string; claimed: number; needed: number }[]>`
        select event_id || '.' || n as id, claimed, needed from item_stock`;
      const sumOf = new Map(sums.map(({ id, sum }) => [id, sum]));
      const unequal = stock.filter(
        ({ id, claimed, needed }) => claimed !== (sumOf.get(id) ?? 0) || claimed > needed,
      );
      const stocked = new Set(stock.map(({ id }) => id));
      return unequal.length + sums.filter(({ id }) => !stocked.has(id)).length;
    }, 'isolation level repeatable read, read only');
    result.reads++;
    if (mismatches > 0) result.wrong++;
    await sleep(20);
  }
  return result;
}

async function countDeadlocks({ sql }: Environment): Promise<number> {
  const [row] = await sql<[{ deadlocks: number }]>`
    select deadlocks::int from pg_stat_database where datname = current_database()`;
  return row.deadlocks;
}
