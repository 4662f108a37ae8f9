/**
 * The dataset that the benchmark runs on: made once, kept in `bench/data/<events>/`, and the same every time.
 * `node bench/seed.ts --events N` makes it and ends; with `--open` it keeps the database open until Ctrl-C, for psql.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Presets, SingleBar } from 'cli-progress';
import { type Embedded, openEmbedded } from '../src/db/embedded/embedded.ts';
import { withFileLock } from '../src/db/embedded/file-lock.ts';
import { migrate } from '../src/db/migrate.ts';
import type { Target } from '../src/db/target.ts';
import { openSql, type SqlConnection } from '../test/sql-tag.ts';
import { eventTable, planEvents } from './seed/events.ts';
import { userCount } from './seed/ids.ts';
import { copyInto, dropIndexes, type Table } from './seed/load.ts';
import { messageTables } from './seed/messages.ts';
import { accountTables, tokensOf } from './seed/people.ts';
import { answerTables } from './seed/rsvps.ts';

export type Dataset = {
  events: number;
  /** For DATA_DIR. */
  dir: string;
  /** For SECRET_KEY. */
  secretKey: string;
  target: Embedded['target'];
  /** The day, by UTC, that the events lie around. */
  day: Date;
  /** Access tokens; that of person n at n − 1. */
  tokens: string[];
  close(): Promise<void>;
};

/** What the operator can mend, in a line. */
export class DatasetError extends Error {}

/** To be raised with any change to what is made. */
const version = 2;
const dayMs = 86_400_000;
const longestLifeMs = 7 * dayMs;
const secretKey = 'the-key-of-the-benchmark-is-no-secret';
const migrations = path.join(import.meta.dirname, '..', 'src', 'db', 'migrations');

type Label = { made: string; day: string; stamp: string };

/** The kept dataset, opened; made first where there is none, or only an old one. */
export async function openDataset(events: number, signal?: AbortSignal): Promise<Dataset> {
  const root = path.join(import.meta.dirname, 'data');
  const dir = path.join(root, `${events}`);
  await mkdir(root, { recursive: true });
  const label = await withFileLock(
    path.join(root, `${events}.lock`),
    async () => {
      const kept = await readLabel(dir);
      if (kept && (await isFresh(kept))) return kept;
      await remove(dir);
      return make(dir, events, signal);
    },
    { waitMs: 900_000, signal },
  );
  const tokens = (await readFile(path.join(dir, 'tokens.txt'), 'utf8')).trimEnd().split('\n');
  const { target, close } = await openEmbedded(dir, {}, signal);
  return { events, dir, secretKey, target, day: new Date(label.day), tokens, close };
}

/** Changes with the seed and with the migrations. */
async function stampOf(): Promise<string> {
  const hash = createHash('sha256').update(`${version}\0`);
  for (const name of (await readdir(migrations)).sort()) {
    hash.update(`${name}\0`).update(await readFile(path.join(migrations, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function readLabel(dir: string): Promise<Label | null> {
  const text = await readFile(path.join(dir, 'dataset.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Label);
}

const isFresh = async ({ made, stamp }: Label) =>
  Date.now() - Date.parse(made) < longestLifeMs && stamp === (await stampOf());

/** @throws DatasetError while somebody uses it */
async function remove(dir: string): Promise<void> {
  const cluster = path.join(dir, 'postgres');
  const exists = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    );
  if (await exists(path.join(cluster, 'postmaster.pid'))) {
    // Whoever leaves last stops it: so it goes now, unless another process is in there.
    await (await openEmbedded(dir)).close();
    if (await exists(path.join(cluster, 'postmaster.pid'))) {
      throw new DatasetError(
        `The dataset in ${dir} is out of date, but in use. Stop what uses it, and run again.`,
      );
    }
  }
  // Where the database's user may not enter, its files lie elsewhere, in a directory of their own behind a link.
  const linked = await readlink(cluster).catch(() => null);
  if (linked?.startsWith('/var/lib/potluck/'))
    await rm(path.dirname(linked), { recursive: true, force: true });
  await rm(dir, { recursive: true, force: true });
}

async function make(dir: string, events: number, signal?: AbortSignal): Promise<Label> {
  const made = new Date();
  const day = new Date(Math.floor(made.getTime() / dayMs) * dayMs);
  const label = { made: made.toISOString(), day: day.toISOString(), stamp: await stampOf() };
  const { target, close } = await openEmbedded(dir, {}, signal);
  try {
    await migrate(target, signal);
    await fill(target, events, day, signal);
  } finally {
    await close();
  }
  const tokens = Array.from({ length: userCount }, (_, i) => `${tokensOf(secretKey, i + 1).accessToken}\n`);
  await writeFile(path.join(dir, 'tokens.txt'), tokens.join(''), { mode: 0o600 });
  // The last thing, so that what was cut off is made again.
  await writeFile(path.join(dir, 'dataset.json'), JSON.stringify(label));
  return label;
}

async function fill(target: Target, events: number, day: Date, signal?: AbortSignal): Promise<void> {
  const plan = planEvents(events, day);
  const tables = [
    eventTable(plan),
    ...answerTables(plan),
    ...accountTables(day, secretKey, plan.eventsCounts),
    ...messageTables(day),
  ];
  const sql = await openSql(target, 'seed');
  const abort = () => sql.destroy();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    // No foreign key is checked while rows come in: they are right by how they are made.
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
  const bar = new SingleBar(
    { format: '  indexes {bar} {value}/{total}', hideCursor: true, clearOnComplete: true },
    Presets.rect,
  );
  bar.start(definitions.length + 2, 0);
  try {
    for (const definition of definitions) {
      await sql.text(definition);
      bar.increment();
    }
    await sql`vacuum (analyze)`;
    bar.increment();
    await sql`checkpoint`;
  } finally {
    bar.stop();
  }
}

async function withBar(tables: Table[], work: (onRows: (count: number) => void) => Promise<void>) {
  const bar = new SingleBar(
    { format: '  rows {bar} {value}/{total}', hideCursor: true, clearOnComplete: true },
    Presets.rect,
  );
  bar.start(
    tables.reduce((sum, { count }) => sum + count, 0),
    0,
  );
  try {
    await work((count) => bar.increment(count));
  } finally {
    bar.stop();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { events: { type: 'string', default: '200000' }, open: { type: 'boolean', default: false } },
  });
  const events = Number(values.events);
  if (!Number.isInteger(events) || events < 1_000 || events > 10_000_000) {
    throw new DatasetError('--events takes a whole number from 1000 to 10000000.');
  }
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new DatasetError('Stopped.')));
  const began = performance.now();
  const dataset = await openDataset(events, stop.signal);
  try {
    const seconds = Math.round((performance.now() - began) / 1_000);
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
  // A promise alone does not keep the process, and neither does the connection once it is lost.
  const pulse = setInterval(() => {}, 60_000);
  if (!signal.aborted) await once(signal, 'abort');
  clearInterval(pulse);
}

if (import.meta.main) {
  await main().catch((error: Error & { code?: string }) => {
    const isForeseen = error instanceof DatasetError || error.code?.startsWith('ERR_PARSE_ARGS');
    console.error(isForeseen ? error.message : error);
    process.exitCode = 1;
  });
}
