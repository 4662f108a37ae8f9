import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openEmbedded } from '#embedded-postgres';
import { writeBackup } from '../../src/cli/backup/write-backup.ts';
import { openDirectory } from '../../src/modules/uploads/storage.ts';
import { eventBody } from '../../test/support/factories.ts';
import { assertCounters } from '../../test/support/invariants.ts';
import { potluck } from '../../test/support/processes.ts';
import { openSql, type SqlConnection, type SqlTransaction } from '../../test/support/sql-tag.ts';
import { openClient } from '../client.ts';
import type { Environment, Person } from '../environment.ts';
import type { Program } from '../program.ts';
import { fillEveryTable } from '../restore-rows.ts';
import { type AcknowledgedWrite, countMissing, startWriting, type Writers } from '../restore-writers.ts';

/** Jobs empty these within a second, so they may be empty in the backup. */
const queues = new Set([
  'public.notification_causes',
  'public.notification_fan_outs',
  'public.push_deliveries',
]);

export const restore: Program = {
  name: 'restore',
  expectation:
    'a backup is made while two servers write, and is restored: all tables of the ' +
    "database's catalogue have rows, are equal and contain every write that was acknowledged before the backup, and so are " +
    'the images; damaged files are refused',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const environment = await startEnvironment();
    const directory = path.join(environment.dataDir, 'backups');
    const file = path.join(directory, 'backup.tar');
    const restoredDir = path.join(directory, 'restored');
    await fillEveryTable(environment);
    const writers = await startWriting(environment, size(2_000, 100));
    const [person] = writers.people;
    if (!person) throw new Error('no writers were created');
    await writers.waitForWrites(size(6_000, 200));
    progress('backing up');
    const { tables, before } = await backUp(environment, directory, file, writers);
    // The writers ran during the whole backup; later writes are not part of its snapshot.
    const duringBackup = writers.log.length - before.length;
    await writers.stop();
    progress('restoring');
    const { unequal, missing, images, problem } = await restoreAndCompare(environment, {
      file,
      restoredDir,
      tables,
      before,
      person,
    });
    progress('damaging files');
    const damaged = await tryDamaged(environment, file, directory, size(30, 2));
    const names = Object.keys(tables);
    // Empty tables are equal even if the backup leaves them out.
    const empty = names.filter((name) => tables[name]?.count === 0 && !queues.has(name));
    const rows = Object.values(tables).reduce((sum, { count }) => sum + count, 0);
    return {
      result:
        `${names.length - unequal.length} of ${names.length} tables equal (${rows} rows)${unequal.map((name) => `, ${name} differs`).join('')}${empty.map((name) => `, ${name} is empty`).join('')}; ` +
        `${images.equal} of ${images.count} images equal; ` +
        `${missing} of ${before.length} acknowledged writes missing, ${duringBackup} more were acknowledged during the backup; ` +
        `${problem ?? 'counters agree, a server responds on the restored database'}; ` +
        `${damaged.refused} of ${damaged.tried} damaged files refused, ${damaged.leftovers} with leftovers`,
      ok:
        unequal.length + empty.length + missing + damaged.leftovers === 0 &&
        problem === null &&
        images.count > 0 &&
        images.equal === images.count &&
        duringBackup > 0 &&
        damaged.refused === damaged.tried,
    };
  },
};

/** The number of rows and the sum of their hashes, by table name. */
type TableSums = Record<string, { count: number; sum: string }>;

/**
 * Counters of the current minute or day, and what addresses of calendars answered, which a backup leaves out: they are
 * unlogged, so a crash deletes them too.
 */
const leftOut = [
  ...['comment_limits', 'daily_counts', 'import_fetches', 'message_counts', 'request_counts'],
  'source_fetches',
];

/**
 * Reads PostgreSQL's catalogue: every table and materialized view of every schema that is not PostgreSQL's
 * own. Does not use the list of the backup, which may lack a table.
 */
async function listAllTables(tx: SqlTransaction): Promise<string[]> {
  const tables = await tx<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'm') and not c.relispartition
      and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
      and not (n.nspname = 'public' and c.relname = any(${leftOut}::text[]))
    order by 1`;
  return tables.map(({ name }) => name);
}

async function sumTables(tx: SqlTransaction): Promise<TableSums> {
  const tables: TableSums = {};
  for (const name of await listAllTables(tx)) {
    // The restored database has run the same migrations at another time.
    const row = name === 'public.schema_version' ? "(to_jsonb(t) - 'run_at')::text" : 't::text';
    const [sums] = await tx.text<{ count: number; sum: string }>(`
      select count(*)::int as count, coalesce(sum(hashtextextended(${row}, 7)::numeric), 0)::text as sum
      from ${name} t`);
    if (sums) tables[name] = sums;
  }
  return tables;
}

/** Sums the tables of the backup's snapshot. @returns also the writes acknowledged before the snapshot */
async function backUp(
  { dataDir }: Environment,
  directory: string,
  file: string,
  { log }: Writers,
): Promise<{ tables: TableSums; before: AcknowledgedWrite[] }> {
  await mkdir(directory);
  const embedded = await openEmbedded(dataDir);
  const sql = await openSql(embedded.target, 'torture');
  try {
    return await sql.begin(async (tx) => {
      const before = [...log];
      const [row] = await tx<[{ snapshot: string }]>`select pg_export_snapshot() as snapshot`;
      await writeBackup({ target: embedded.target, storage: storageIn(dataDir) }, file, {
        snapshot: row.snapshot,
      });
      return { tables: await sumTables(tx), before };
    }, 'isolation level repeatable read, read only');
  } finally {
    await sql.end();
    await embedded.close();
  }
}

type RestoreCase = {
  file: string;
  restoredDir: string;
  tables: TableSums;
  before: AcknowledgedWrite[];
  person: Person;
};
type Comparison = {
  unequal: string[];
  missing: number;
  images: { count: number; equal: number };
  problem: string | null;
};

/** Restores with the command into an empty directory, compares the tables, and starts a server on them. */
async function restoreAndCompare(
  environment: Environment,
  { file, restoredDir, tables, before, person }: RestoreCase,
): Promise<Comparison> {
  const env = { ...environment.env, DATA_DIR: restoredDir };
  const run = potluck(['restore', file], { env });
  if ((await run.ended) !== 0) throw new Error(`not restored: ${run.output.out}${run.output.err}`);
  const embedded = await openEmbedded(restoredDir);
  const sql = await openSql(embedded.target, 'torture');
  try {
    const found = await sql.begin(sumTables);
    const names = [...new Set([...Object.keys(tables), ...Object.keys(found)])];
    const unequal = names.filter((name) => JSON.stringify(found[name]) !== JSON.stringify(tables[name]));
    const missing = await countMissing(sql, before);
    const images = await compareImages(sql, environment.dataDir, restoredDir);
    const counters = await assertCounters(sql).then(
      () => null,
      (error: Error) => `counters do not agree: ${error.message}`,
    );
    return { unequal, missing, images, problem: counters ?? (await useServer(environment, env, person)) };
  } finally {
    await sql.end();
    await embedded.close();
  }
}

const storageIn = (dataDir: string) => openDirectory(path.join(dataDir, 'uploads'));

async function compareImages(sql: SqlConnection, before: string, after: string) {
  const rows = await sql<{ id: string }[]>`select id from uploads`;
  const read = async (dataDir: string, id: string) => {
    const file = await storageIn(dataDir).read(id);
    return file && (await buffer(file));
  };
  const results = await Promise.all(
    rows.map(async ({ id }) => (await read(before, id))?.equals((await read(after, id)) ?? Buffer.alloc(0))),
  );
  return { count: rows.length, equal: results.filter(Boolean).length };
}

/** Checks that an earlier session is still valid, and that events can be written and read. */
async function useServer(
  environment: Environment,
  env: Record<string, string>,
  person: Person,
): Promise<string | null> {
  const server = await environment.start(env);
  const client = openClient(() => [server]);
  try {
    const { token } = person;
    const me = await client.send('GET', '/v1/auth/me', { token });
    const event = await client.send('POST', '/v1/events', { token, body: eventBody() });
    const read = await client.send('GET', `/v1/events/${event.body?.id}`, { token });
    const statuses = [me.status, event.status, read.status].join(', ');
    const isExpected = statuses === '200, 201, 200' && me.body.id === person.id;
    return isExpected ? null : `a server on it responds with ${statuses} instead of 200, 201, 200`;
  } finally {
    client.close();
  }
}

type DamagedResult = { tried: number; refused: number; leftovers: number };

/**
 * Truncates files or flips a bit at random positions: each is refused with one line, and no file is created.
 */
async function tryDamaged(
  { env }: Environment,
  file: string,
  directory: string,
  times: number,
): Promise<DamagedResult> {
  const whole = await readFile(file);
  const damaged = path.join(directory, 'damaged.tar');
  const result: DamagedResult = { tried: 0, refused: 0, leftovers: 0 };
  for (let n = 0; n < times; n++) {
    const at = Math.floor(Math.random() * whole.length);
    await writeFile(damaged, n % 2 === 0 ? whole.subarray(0, at) : withFlippedBit(whole, at));
    const target = path.join(directory, `for-damaged-${n}`);
    const run = potluck(['restore', damaged], { env: { ...env, DATA_DIR: target } });
    const code = await run.ended;
    result.tried++;
    if (code === 1 && /^[^\n]+\n$/.test(run.output.err) && run.output.out === '') result.refused++;
    if ((await readdir(target).catch(() => [])).length > 0) result.leftovers++;
  }
  return result;
}

function withFlippedBit(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8));
  return copy;
}
