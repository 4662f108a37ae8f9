/**
 * The deterministic dataset of the benchmark, stored in `bench/data/<events>/`.
 * `node bench/seed.ts --events N` creates it; `--open` keeps the database running until Ctrl-C, for psql.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Embedded, openEmbedded } from '#embedded-postgres';
import type { Target } from '#pg';
import { withFileLock } from '../packages/embedded-postgres/file-lock.ts';
import { startProgressBar } from '../src/cli/command/progress-bar.ts';
import { migrate } from '../src/schema/migrate.ts';
import { openSql, type SqlConnection } from '../test/support/sql-tag.ts';
import { eventTable, planEvents } from './seed/events.ts';
import { userCount } from './seed/ids.ts';
import { copyInto, dropIndexes, type Table } from './seed/load.ts';
import { messageTables } from './seed/messages.ts';
import { accountTables, tokensOf } from './seed/people.ts';
import { rsvpTables } from './seed/rsvps.ts';

export type Dataset = {
  events: number;
  /** The value of DATA_DIR. */
  dir: string;
  /** The value of SECRET_KEY. */
  secretKey: string;
  target: Embedded['target'];
  /** The UTC day on which the dataset was created; event times are relative to it. */
  day: Date;
  /** Access tokens; the token of person n is at index n − 1. */
  tokens: string[];
  close(): Promise<void>;
};

/** An error that the operator can fix; the CLI prints only its message. */
export class DatasetError extends Error {}

/** Must be increased with every change of the dataset. */
const version = 3;
const dayMs = 86_400_000;
const maxAgeMs = 7 * dayMs;
const secretKey = 'the-key-of-the-benchmark-is-no-secret';
const migrations = path.join(import.meta.dirname, '..', 'src', 'schema', 'migrations');

type Manifest = { createdAt: string; day: string; fingerprint: string };

/** Opens the stored dataset, after creating it if it is missing or outdated. */
export async function openDataset(events: number, signal?: AbortSignal): Promise<Dataset> {
  const root = path.join(import.meta.dirname, 'data');
  const dir = path.join(root, `${events}`);
  await mkdir(root, { recursive: true });
  const manifest = await withFileLock(
    path.join(root, `${events}.lock`),
    async () => {
      const stored = await readManifest(dir);
      if (stored && (await isFresh(stored))) return stored;
      await remove(dir);
      return create(dir, events, signal);
    },
    { waitMs: 900_000, signal },
  );
  const tokens = (await readFile(path.join(dir, 'tokens.txt'), 'utf8')).trimEnd().split('\n');
  const { target, close } = await openEmbedded(dir, {}, signal);
  return { events, dir, secretKey, target, day: new Date(manifest.day), tokens, close };
}

/** A hash of the dataset version and the migrations. */
async function computeFingerprint(): Promise<string> {
  const hash = createHash('sha256').update(`${version}\0`);
  for (const name of (await readdir(migrations)).sort()) {
    hash.update(`${name}\0`).update(await readFile(path.join(migrations, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function readManifest(dir: string): Promise<Manifest | null> {
  const text = await readFile(path.join(dir, 'dataset.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Manifest);
}

const isFresh = async ({ createdAt, fingerprint }: Manifest) =>
  Date.now() - Date.parse(createdAt) < maxAgeMs && fingerprint === (await computeFingerprint());

/** @throws DatasetError if another process uses the dataset */
async function remove(dir: string): Promise<void> {
  const cluster = path.join(dir, 'postgres');
  const exists = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    );
  if (await exists(path.join(cluster, 'postmaster.pid'))) {
    // Closing stops PostgreSQL, unless another process uses it.
    await (await openEmbedded(dir)).close();
    if (await exists(path.join(cluster, 'postmaster.pid'))) {
      throw new DatasetError(
        `The dataset in ${dir} is outdated, but in use. Stop the process that uses it, and run again.`,
      );
    }
  }
  // If the database user cannot enter the directory, `postgres` is a link to a directory elsewhere.
  const linked = await readlink(cluster).catch(() => null);
  if (linked?.startsWith('/var/lib/potluck/'))
    await rm(path.dirname(linked), { recursive: true, force: true });
  await rm(dir, { recursive: true, force: true });
}

async function create(dir: string, events: number, signal?: AbortSignal): Promise<Manifest> {
  const createdAt = new Date();
  const day = new Date(Math.floor(createdAt.getTime() / dayMs) * dayMs);
  const manifest = {
    createdAt: createdAt.toISOString(),
    day: day.toISOString(),
    fingerprint: await computeFingerprint(),
  };
  const { target, close } = await openEmbedded(dir, {}, signal);
  try {
    await migrate(target, signal);
    await fill(target, events, day, signal);
  } finally {
    await close();
  }
  const tokens = Array.from({ length: userCount }, (_, i) => `${tokensOf(secretKey, i + 1).accessToken}\n`);
  await writeFile(path.join(dir, 'tokens.txt'), tokens.join(''), { mode: 0o600 });
  // Written last, so that an interrupted creation is repeated.
  await writeFile(path.join(dir, 'dataset.json'), JSON.stringify(manifest));
  return manifest;
}

async function fill(target: Target, events: number, day: Date, signal?: AbortSignal): Promise<void> {
  const plan = planEvents(events, day);
  const tables = [
    eventTable(plan),
    ...rsvpTables(plan),
    ...accountTables(day, secretKey, plan.eventsCounts),
    ...messageTables(day),
  ];
  const sql = await openSql(target, 'seed');
  const abort = () => sql.destroy();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    // Skips foreign key checks: the generated rows are consistent.
    await sql`set session_replication_role = replica`;
    await sql`set maintenance_work_mem = '1GB'`;
    const definitions = await dropIndexes(sql);
    await withBar(tables, (onRows) => copyAll(sql, tables, onRows));
    await finish(sql, definitions);
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', abort);
    await sql.end();
  }
}

async function copyAll(sql: SqlConnection, tables: Table[], onRows: (count: number) => void): Promise<void> {
  for (const table of tables) await copyInto(sql, table, onRows);
}

async function finish(sql: SqlConnection, definitions: string[]): Promise<void> {
  using bar = startProgressBar('indexes {bar} {value}/{total}', definitions.length + 2);
  for (const definition of definitions) {
    await sql.text(definition);
    bar.increment();
  }
  await sql`vacuum (analyze)`;
  bar.increment();
  await sql`checkpoint`;
}

async function withBar(tables: Table[], work: (onRows: (count: number) => void) => Promise<void>) {
  const total = tables.reduce((sum, { count }) => sum + count, 0);
  using bar = startProgressBar('rows {bar} {value}/{total}', total);
  await work((count) => bar.increment(count));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { events: { type: 'string', default: '200000' }, open: { type: 'boolean', default: false } },
  });
  const events = Number(values.events);
  if (!Number.isInteger(events) || events < 1_000 || events > 10_000_000) {
    throw new DatasetError('--events must be an integer from 1000 to 10000000.');
  }
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new DatasetError('Stopped.')));
  const since = performance.now();
  const dataset = await openDataset(events, stop.signal);
  try {
    const seconds = Math.round((performance.now() - since) / 1_000);
    console.log(`${dataset.dir}: ${events} events, ${await sizeOf(dataset.target)}, ${seconds} s`);
    if (values.open) await keepOpen(dataset, stop.signal);
  } finally {
    await dataset.close();
  }
}

async function sizeOf(target: Target): Promise<string> {
  const sql = await openSql(target, 'size');
  const [row] = await sql<
    [{ size: string }]
  >`select pg_size_pretty(pg_database_size(current_database())) as size`;
  await sql.end();
  return row.size;
}

async function keepOpen({ dir, target }: Dataset, signal: AbortSignal): Promise<void> {
  const { socketDir, port, user, database } = target;
  console.log(
    `PGPASSWORD=$(cat ${dir}/database-password) psql -h ${socketDir} -p ${port} -U ${user} ${database}`,
  );
  // Neither a promise nor a lost connection keeps the process running; a timer does.
  const keepAlive = setInterval(() => {}, 60_000);
  if (!signal.aborted) await once(signal, 'abort');
  clearInterval(keepAlive);
}

if (import.meta.main) {
  await main().catch((error: Error & { code?: string }) => {
    const isExpected = error instanceof DatasetError || error.code?.startsWith('ERR_PARSE_ARGS');
    console.error(isExpected ? error.message : error);
    process.exitCode = 1;
  });
}
