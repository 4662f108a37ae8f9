/** Prints the plan of each statement of the lists: `node bench/plans.ts --events 2000000`. */
import { parseArgs } from 'node:util';
import { ChangeLog, Replicas } from '#fresh-records';
import { connect, type Database, raw, type Statement, sql } from '#pg';
import { readConfig } from '../src/config/config.ts';
import type { BaseServices } from '../src/http/services.ts';
import { createEventLists, type Lists } from '../src/modules/discovery/event-lists.ts';
import { type EventQuery, readEventQuery } from '../src/modules/discovery/event-query.ts';
import { createStatementQueue } from '../src/modules/discovery/statement-queue.ts';
import { searchQuery } from '../src/modules/events/search-words.ts';
import { createEventServices } from '../src/modules/events/services.ts';
import { createPeopleServices } from '../src/modules/people/services.ts';
import { openDataset } from './seed.ts';

const { values } = parseArgs({ options: { events: { type: 'string', default: '200000' } } });
const dataset = await openDataset(Number(values.events));

let sent: Statement[] = [];
const database = connect(dataset.target);
/** Runs statements and records them. */
const db: Database = {
  ...database,
  query(statement) {
    sent.push(statement);
    return database.query(statement);
  },
};
const explain = raw('explain (analyze, buffers, costs off, timing off, summary off) ');

const now = new Date();
const noFilter = readEventQuery({}, now);
const berlin = { lat: 52.52, lng: 13.405, radius: 50 };
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
const queries: [name: string, query: EventQuery, order: 'start' | 'relevance', page: number][] = [
  ['everything', noFilter, 'start', 1],
  ['everything, page 500', noFilter, 'start', 500],
  ['a category', { ...noFilter, category: 'music' }, 'start', 1],
  ['one week', { ...noFilter, from: inDays(10), until: inDays(17) }, 'start', 1],
  ['50 km', { ...noFilter, circle: berlin }, 'start', 1],
  ['1,000 km', { ...noFilter, circle: { ...berlin, radius: 1_000 } }, 'start', 1],
  ['5,000 km', { ...noFilter, circle: { ...berlin, radius: 5_000 } }, 'start', 1],
  ['5,000 km, page 500', { ...noFilter, circle: { ...berlin, radius: 5_000 } }, 'start', 500],
  ['19,000 km', { ...noFilter, circle: { ...berlin, radius: 19_000 } }, 'start', 1],
  [
    '1,000 km of the South Pacific',
    { ...noFilter, circle: { lat: -45, lng: -130, radius: 1_000 } },
    'start',
    1,
  ],
  ['a rare word', { ...noFilter, search: searchQuery('theremin') }, 'start', 1],
  ['a frequent word', { ...noFilter, search: searchQuery('jazz') }, 'start', 1],
  ['a frequent word, by relevance', { ...noFilter, search: searchQuery('jazz') }, 'relevance', 1],
  ['one letter', { ...noFilter, search: searchQuery('s') }, 'start', 1],
  ['a frequent word within 50 km', { ...noFilter, circle: berlin, search: searchQuery('jazz') }, 'start', 1],
];

async function measure(lists: Lists, [, query, order, page]: (typeof queries)[number]): Promise<number> {
  const start = performance.now();
  await lists.elements({ query, order, slice: { page, limit: 20 }, viewer: null, address: '127.0.0.1' });
  return performance.now() - start;
}

for (const query of queries) {
  // The lists use only these base services.
  const changeLog = new ChangeLog(db);
  const metrics = { countRead: () => {}, setUsable: () => {} };
  const log = { info: () => {}, warn: () => {} };
  const replicas = new Replicas({ primary: db, replicas: [], changeLog, log, metrics });
  const base = { db, changeLog, replicas, config: readConfig({}) } as BaseServices;
  const users = { ...base, ...createPeopleServices(base) };
  const lists = createEventLists(
    { ...users, ...createEventServices(users), privacyHooks: [], restoredDateHooks: [] },
    null,
    createStatementQueue(),
  );
  sent = [];
  const first = await measure(lists, query);
  const statements = sent;
  const again = await measure(lists, query);
  console.log(`\n### ${query[0]}: ${first.toFixed(1)} ms first, then ${again.toFixed(1)} ms\n`);
  for (const statement of statements) {
    const rows = await database.query(sql`${explain}${statement}`);
    const plan = rows.map((row) => Object.values(row)[0] as string);
    console.log(`${statement.text.replace(/\s+/g, ' ').trim().slice(0, 150)} …`);
    console.log(`${plan.map((line) => `    ${line.slice(0, 150)}`).join('\n')}\n`);
  }
}
await database.end();
await dataset.close();
