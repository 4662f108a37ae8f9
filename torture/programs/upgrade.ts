import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { quoteIdentifier } from '../../src/cli/backup/file-format.ts';
import { onePixelPng } from '../../test/factories.ts';
import { assertCounters } from '../../test/invariants.ts';
import { openApi } from '../api.ts';
import { runConcurrently } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent, createItem } from '../factories.ts';
import { countLostWrites, startLoad } from '../load.ts';
import { phoneOf, signIn } from '../phones.ts';
import { MissingRequirement, type Program, type ProgramContext } from '../program.ts';
import { requireCommands } from '../requirements.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..', '..');
/** The last version before the redesign of the code; its database has migration 13. */
const oldCommit = '6afe88a';
const oldMigration = 13;

export const upgrade: Program = {
  name: 'upgrade',
  expectation:
    'a database made by the servers of commit 6afe88a, which are replaced under load: no row of before and no ' +
    'acknowledged write is lost, every event, list, message and image is readable and valid, new servers give no 5xx',
  async run(context) {
    const { size, startEnvironment, progress } = context;
    const count = size(400, 40);
    const program = await installOldVersion(context);
    const environment = await startEnvironment({ servers: 2, program });
    progress('creating data');
    const data = await createData(environment, count);
    const before = await readKeys(environment);
    const migration = await migrationOf(environment);
    const people = data.people.slice(0, 16);
    const load = startLoad(environment, people, { writers: 8, readers: 4 });
    await sleep(size(10_000, 2_000));
    progress('replacing the servers');
    const replacedAt = performance.now();
    await replaceServers(environment);
    const newOnlyAt = performance.now();
    await sleep(size(10_000, 2_000));
    await load.stop();
    progress('comparing');
    const missing = await countMissingRows(environment, before);
    const lost = await countLostWrites(environment, load);
    const unreadable = await readEverything(environment, data);
    const counters = await assertCounters(environment.sql).then(
      () => '',
      (error: Error) => `; ${error.message.split('\n')[0]}`,
    );
    const statusesIn = (from: number, to: number) =>
      countValues(
        load.responses
          .filter(({ at, status }) => at >= from && at < to && ![200, 201].includes(status))
          .map(({ status }) => status),
      );
    const during = statusesIn(replacedAt, newOnlyAt);
    const after = statusesIn(newOnlyAt, Number.POSITIVE_INFINITY);
    const rows = Object.values(before).reduce((sum, keys) => sum + keys.length, 0);
    const writes = load.events.length + load.rsvps.length;
    return {
      result:
        `migration ${migration} to ${await migrationOf(environment)}: ${missing.length} of ${rows} rows in ` +
        `${Object.keys(before).length} tables missing, ${lost} of ${writes} acknowledged writes lost, ` +
        `${unreadable.length} of ${data.paths.length} resources unreadable; other statuses while servers of both versions ` +
        `run: ${JSON.stringify(during)}, afterwards: ${JSON.stringify(after)}${counters}` +
        [...missing, ...unreadable]
          .slice(0, 6)
          .map((line) => `\n    ${line}`)
          .join(''),
      ok:
        migration === oldMigration &&
        rows > 100 &&
        writes > 100 &&
        missing.length + lost + unreadable.length === 0 &&
        Object.keys(after).length === 0 &&
        counters === '',
    };
  },
};

/** @returns the old version's program */
async function installOldVersion({ addCleanup, progress }: ProgramContext): Promise<string> {
  await requireCommands({ git: 'git', tar: 'tar' });
  const home = await mkdtemp(path.join(os.tmpdir(), 'potluck-old-'));
  addCleanup(() => rm(home, { recursive: true, force: true }));
  const archive = path.join(home, 'old.tar');
  await run('git', ['-C', root, 'archive', '-o', archive, oldCommit]).catch(() => {
    throw new MissingRequirement(`commit ${oldCommit} is missing: git fetch --unshallow`);
  });
  const directory = path.join(home, 'potluck');
  await mkdir(directory);
  await run('tar', ['-xf', archive, '-C', directory]);
  progress('npm ci');
  const options = ['--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['ci', ...options], { cwd: directory, maxBuffer: 2 ** 26 }).catch((error: Error) => {
    throw new MissingRequirement(`the packages of ${oldCommit} cannot be installed: ${error.message.trim()}`);
  });
  return path.join(directory, 'src', 'main.ts');
}

/** Starts a server of this version beside the old ones, which then stop, and another one. */
async function replaceServers(environment: Environment): Promise<void> {
  const old = environment.servers.splice(0);
  const { client } = environment;
  // The load goes to the old servers until the new one is open, and to both versions for a moment.
  environment.servers.push(...old);
  const main = path.join(root, 'bin', 'potluck.js');
  const started = await environment.start({}, main);
  await client.send('GET', '/readyz', { server: started });
  await sleep(1_000);
  environment.servers.splice(0, environment.servers.length, started);
  // Requests that are on their way to the old servers are answered before these end.
  for (const { child, ended } of old) {
    child.kill('SIGTERM');
    await ended;
  }
  await environment.start({}, main);
}

type OldData = { people: Person[]; paths: { path: string; token: string }[] };

/** Creates some of everything through the old servers. @returns the paths at which it is readable */
async function createData(environment: Environment, count: number): Promise<OldData> {
  const { client } = environment;
  const people = await runConcurrently(Math.max(count / 4, 20), 4, (i) => signIn(environment, phoneOf(i)));
  const personAt = (i: number) => people[i % people.length] ?? { id: '', token: '' };
  const paths: OldData['paths'] = [];
  const post = async (route: string, person: Person, body: unknown) => {
    const response = await client.send('POST', route, { token: person.token, body });
    if (response.status >= 300) throw new Error(`${route} gave ${response.status}`);
    return response.body;
  };
  await runConcurrently(count, 8, async (i) => {
    const [organizer, guest, other] = [personAt(i), personAt(i + 1), personAt(i + 2)];
    const { token } = organizer;
    const event = await createEvent(environment, organizer, {
      capacity: 1,
      enabledModules: ['bringList', 'wishList', 'booking'],
      title: `Zwölf Gäste ${i}`,
    });
    const item = await createItem(environment, organizer, event, 3);
    await post(`/v1/events/${event}/rsvp`, guest, { status: 'going' });
    await post(`/v1/events/${event}/save`, other, { saved: true });
    await post(`/v1/items/${item}/claim`, guest, { quantity: 2 });
    await post(`/v1/events/${event}/booking`, guest, { seats: 1 });
    await post(`/v1/events/${event}/booking`, other, { seats: 1, waitlist: true });
    await post(`/v1/users/${guest.id}/follow`, organizer, undefined);
    await post(`/v1/users/${guest.id}/messages`, organizer, { text: `Hello ${i}` });
    const tails = ['', '/items', '/claims', '/bookings', '/calendar.ics'];
    paths.push(...tails.map((tail) => ({ path: `/v1/events/${event}${tail}`, token })));
    paths.push({ path: `/v1/events/${event}/booking`, token: other.token });
    paths.push({ path: `/v1/items/${item}/claims`, token });
    paths.push({ path: `/v1/users/${guest.id}/messages`, token });
  });
  for (const [i, person] of people.entries()) {
    const { token } = person;
    const { status, body } = await client.send('POST', '/v1/uploads', {
      token,
      raw: onePixelPng,
      headers: { 'content-type': 'image/png' },
    });
    if (status !== 201) throw new Error(`an upload gave ${status}`);
    const calendar = await post('/v1/me/calendar', person, undefined);
    const reported = { subject: { type: 'user', id: personAt(i + 1).id }, reason: 'spam' };
    await post('/v1/reports', person, reported);
    const own = [
      '/v1/auth/me',
      '/v1/auth/sessions',
      '/v1/me/export',
      '/v1/me/claims',
      '/v1/me/blocks',
      '/v1/feed',
    ];
    const lists = ['/v1/me/events?relation=organizing', '/v1/conversations', '/v1/events?limit=50'];
    const secret = [new URL(body.url).pathname, new URL(calendar.url).pathname];
    paths.push(
      ...[...own, ...lists, ...secret, `/v1/users/${person.id}`].map((each) => ({ path: each, token })),
    );
  }
  return { people, paths };
}

/** Tables whose rows come and go by themselves. */
const transient = new Set([
  'changes',
  'codes',
  'code_sends',
  'request_counts',
  'message_counts',
  'idempotency_keys',
  'loose_files',
]);

/** The primary keys of all rows, by table. The list of tables is the catalogue's. */
async function readKeys({ sql }: Environment): Promise<Record<string, string[]>> {
  const tables = await sql<{ name: string; columns: string[] }[]>`
    select c.relname as name, array_agg(a.attname order by a.attnum)::text[] as columns
    from pg_index i join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
    where i.indisprimary and not c.relispartition and c.relnamespace = 'public'::regnamespace group by c.relname order by c.relname`;
  const keys: Record<string, string[]> = {};
  for (const { name, columns } of tables.filter((table) => !transient.has(table.name))) {
    const key = columns.map((column) => `${quoteIdentifier(column)}::text`).join(` || ' ' || `);
    const rows = await sql.text<{ key: string }>(`select ${key} as key from ${quoteIdentifier(name)}`);
    keys[name] = rows.map((row) => row.key);
  }
  return keys;
}

async function countMissingRows(
  environment: Environment,
  before: Record<string, string[]>,
): Promise<string[]> {
  const now = await readKeys(environment);
  return Object.entries(before).flatMap(([table, keys]) => {
    const present = new Set(now[table] ?? []);
    return keys.filter((key) => !present.has(key)).map((key) => `${table}: ${key} is missing`);
  });
}

async function migrationOf({ sql }: Environment): Promise<number> {
  const [row] = await sql<[{ version: number }]>`select max(version)::int as version from schema_version`;
  return row.version;
}

/** Reads every path on the new servers. @returns what is not a 200 or violates the OpenAPI document */
async function readEverything(environment: Environment, { paths }: OldData): Promise<string[]> {
  const api = await openApi(environment);
  const problems = await runConcurrently(paths.length, 8, async (i) => {
    const { path: route, token } = paths[i] ?? { path: '', token: '' };
    try {
      const { status } = await api.get(route, token);
      return status === 200 ? [] : [`${route} gave ${status}`];
    } catch (error) {
      return [`${route}: ${(error as Error).message.split('\n')[0]}`];
    }
  });
  return problems.flat();
}
