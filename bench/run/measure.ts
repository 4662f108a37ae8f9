/** Measures one work item: the app, then the equivalent SQL, then bare Node. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Candidate, Environment, Prepared, WorkItem } from './environment.ts';
import { Failure, type Measured, pgbench, wrk } from './load.ts';
import type { Options } from './options.ts';
import { cpuSecondsOfAll, rssMb, type Server, startApp, startBare } from './processes.ts';
import { type Request, send } from './response.ts';
import { startWriteLoad } from './write-load.ts';

export type Bench = {
  environment: Environment;
  options: Options;
  app: Server;
  /** The pid of the PostgreSQL postmaster. */
  postmaster: number;
  hasPgbench: boolean;
  /** The directory for requests, scripts and responses. */
  scratch: string;
  signal: AbortSignal;
  /** Remarks below the table. */
  notes: string[];
};

/** The fastest SQL candidate of the warm-up. */
type SqlLimit = { scripts: string[]; clients: number };

export type Round = {
  app: Measured;
  pgbench: number | null;
  bareNode: number;
  cpu: { server: number | null; database: number | null };
  rssMb: number | null;
};

export type PreparedItem = {
  work: WorkItem;
  prepared: Prepared;
  requestsFile: string;
  responseFile: string;
  limit: SqlLimit | null;
};

const nameOf = ({ item, variant }: WorkItem) => `${item} ${variant}`;
/** Long enough to compare candidates. */
const warmUpSeconds = 1;
/**
 * Long enough for nearly every request to be sent once, so that the measurement excludes start-up effects.
 */
const appWarmUpSeconds = 2;
/** The rate of bare Node varies little, so a short measurement suffices. */
const bareSeconds = (seconds: number) => Math.min(Math.ceil(seconds / 3), 2);

/** Writes the files, warms up the app, and finds the fastest SQL candidate. */
export async function prepare(bench: Bench, work: WorkItem): Promise<PreparedItem> {
  const prepared = await work.prepare(bench.environment);
  await prepared.writes?.reset();
  const file = path.join(bench.scratch, nameOf(work).replace(/\W+/g, '-'));
  const requestsFile = `${file}.requests`;
  const responseFile = `${file}.response`;
  await writeRequests(requestsFile, prepared);
  await writeFile(responseFile, JSON.stringify(await sampleResponse(bench.app, prepared.requests)));
  await prepared.writes?.reset();
  const files = await writeScripts(file, prepared.candidates);
  const limit = bench.hasPgbench ? await findLimit(bench, work, prepared, files) : null;
  const preparedItem = { work, prepared, requestsFile, responseFile, limit };
  if (!work.isCold) await warmUp(bench, preparedItem);
  if (prepared.writes) await waitUntilIdle(bench.environment);
  return preparedItem;
}

export const warmUp = (bench: Bench, preparedItem: PreparedItem) =>
  load(bench, preparedItem, bench.app.port, appWarmUpSeconds, preparedItem.work.alsoExpected ?? []);

/** Writes the file that wrk reads. */
export const writeRequests = (file: string, { requests }: Prepared): Promise<void> =>
  writeFile(file, requests.map(lineOf).join(''));

const lineOf = ({ method, path, token = '', body = '' }: Request) =>
  `${method}\t${path}\t${token}\t${body}\n`;

/** @returns the response of the app to the first request, which bare Node replays */
async function sampleResponse(app: Server, [request]: Request[]) {
  if (!request) throw new Failure('the work item has no requests');
  const response = await send(app.port, request);
  if (response.status < 300) return response;
  throw new Failure(`${request.method} ${request.path}: ${response.status} ${response.body.slice(0, 300)}`);
}

async function writeScripts(file: string, candidates: Candidate[]): Promise<Candidate[]> {
  const written: Candidate[] = [];
  for (const [c, { name, scripts }] of candidates.entries()) {
    const files = scripts.map((_, s) => `${file}-${c}-${s}.sql`);
    for (const [s, script] of scripts.entries()) await writeFile(files[s] ?? '', `${script}\n`);
    written.push({ name, scripts: files });
  }
  return written;
}

/**
 * Tries each candidate with 8 clients and the fastest with 32: under contention, fewer clients may be faster.
 */
async function findLimit(
  bench: Bench,
  work: WorkItem,
  prepared: Prepared,
  candidates: Candidate[],
): Promise<SqlLimit | null> {
  const attempt = async ({ scripts }: Candidate, clients: number) => {
    const rate = await pgbench(
      bench.environment.dataset,
      { scripts, seconds: warmUpSeconds, clients },
      bench.signal,
    );
    await prepared.writes?.reset();
    return rate;
  };
  try {
    const tried: { candidate: Candidate; rate: number }[] = [];
    for (const candidate of candidates) tried.push({ candidate, rate: await attempt(candidate, 8) });
    const [best, ...others] = tried.sort((a, b) => b.rate - a.rate);
    if (!best) return null;
    const rateOf32 = await attempt(best.candidate, 32);
    for (const { candidate, rate } of others) {
      const winner = `"${best.candidate.name}" ${Math.round(best.rate)}/s`;
      bench.notes.push(
        `${nameOf(work)}: in SQL, ${winner} was faster than "${candidate.name}" ${Math.round(rate)}/s.`,
      );
    }
    return { scripts: best.candidate.scripts, clients: rateOf32 > best.rate ? 32 : 8 };
  } catch (error) {
    bench.signal.throwIfAborted();
    bench.notes.push(`${nameOf(work)}: pgbench failed: ${(error as Error).message.split('\n', 1)}`);
    return null;
  }
}

/** Draws new requests and restarts the server. */
export async function prepareCold(
  bench: Bench,
  { work, requestsFile }: PreparedItem,
  seed: number,
): Promise<void> {
  await writeRequests(requestsFile, await work.prepare(bench.environment, seed));
  await bench.app.stop();
  const { discovery } = bench.options;
  bench.app = await startApp(bench.environment.dataset, bench.signal, { discovery });
}

/** @throws Failure if a response or the resulting data is wrong */
export async function measure(bench: Bench, preparedItem: PreparedItem): Promise<Round> {
  const { work, limit, responseFile } = preparedItem;
  const { seconds } = bench.options;
  const app = work.isBesideWrites
    ? await measureBesideWrites(bench, preparedItem)
    : await measureApp(bench, preparedItem);
  const sqlRate = limit && (await measureSql(bench, preparedItem, limit));
  const bareServer = await startBare(responseFile);
  try {
    const { rps } = await load(bench, preparedItem, bareServer.port, bareSeconds(seconds), []);
    return { ...app, pgbench: sqlRate, bareNode: rps };
  } catch (error) {
    bench.signal.throwIfAborted();
    throw new Error(`${nameOf(work)}, bare Node: ${(error as Error).message}`);
  } finally {
    await bareServer.stop();
  }
}

async function measureBesideWrites(bench: Bench, preparedItem: PreparedItem) {
  const writes = await startWriteLoad(bench.environment.dataset, bench.signal);
  let measured: Awaited<ReturnType<typeof measureApp>>;
  try {
    measured = await measureApp(bench, preparedItem);
  } finally {
    await writes.stop();
  }
  return measured;
}

type Loaded = Pick<Bench, 'environment' | 'app' | 'postmaster' | 'signal'> & {
  options: Pick<Options, 'connections' | 'seconds'>;
};
type Requests = Pick<PreparedItem, 'work' | 'prepared' | 'requestsFile'>;

/**
 * Loads the app; `cpu` is in cores. Verifies what was written, and deletes it.
 * @throws Failure if a response or the written data is wrong
 */
export async function measureApp(
  bench: Loaded,
  preparedItem: Requests,
): Promise<Omit<Round, 'pgbench' | 'bareNode'>> {
  const { app, postmaster, options, environment } = bench;
  const { work, prepared } = preparedItem;
  await prepared.writes?.reset();
  const readCpu = () => Promise.all([cpuSecondsOfAll(app.pid), cpuSecondsOfAll(postmaster)]);
  const before = await readCpu();
  const began = performance.now();
  const measured = await load(bench, preparedItem, app.port, options.seconds, work.alsoExpected ?? []);
  const after = await readCpu();
  const elapsed = (performance.now() - began) / 1_000;
  const cores = (from: number | null, to: number | null) =>
    from === null || to === null ? null : (to - from) / elapsed;
  const cpu = { server: cores(before[0], after[0]), database: cores(before[1], after[1]) };
  if (prepared.writes) {
    await waitUntilIdle(environment);
    const refused = (work.alsoExpected ?? []).reduce(
      (sum, status) => sum + (measured.statuses[status] ?? 0),
      0,
    );
    const { connections } = options;
    const wrong = await prepared.writes.verify({ acknowledged: measured.requests - refused, connections });
    await prepared.writes.reset();
    if (wrong) throw new Failure(wrong);
  }
  return { app: measured, cpu, rssMb: await rssMb(app.pid) };
}

async function measureSql(bench: Bench, { work, prepared }: PreparedItem, limit: SqlLimit): Promise<number> {
  const { environment, options, signal } = bench;
  const rate = await pgbench(environment.dataset, { ...limit, seconds: options.seconds }, signal);
  const wrong = await prepared.writes?.verify(null);
  await prepared.writes?.reset();
  if (wrong) throw new Failure(`${nameOf(work)}, pgbench: ${wrong}`);
  return rate;
}

const load = (
  { options: { connections }, signal }: Pick<Loaded, 'options' | 'signal'>,
  { requestsFile, work }: Pick<PreparedItem, 'requestsFile' | 'work'>,
  port: number,
  seconds: number,
  alsoExpected: number[],
) => wrk({ port, requestsFile, seconds, connections, alsoExpected, once: work.once ?? false }, signal);

/**
 * Waits until the requests that were running at the end of the load have finished. Otherwise their writes
 * could be missed by a check or happen during a reset.
 */
async function waitUntilIdle({ sql }: Environment): Promise<void> {
  for (let quiet = 0, round = 0; quiet < 3 && round < 100; round++) {
    await sleep(100);
    const [row] = await sql<[{ busy: number }]>`
      select count(*)::int as busy from pg_stat_activity
      where application_name = 'potluck' and state <> 'idle' and pid <> pg_backend_pid()`;
    quiet = row.busy === 0 ? quiet + 1 : 0;
  }
}

/** Removes the writes of an interrupted earlier run. */
export async function resetAll(environment: Environment, items: WorkItem[]): Promise<void> {
  for (const work of items) await (await work.prepare({ ...environment, maxWrites: 1 })).writes?.reset();
}

export const removeScratch = (scratch: string) => rm(scratch, { recursive: true, force: true });
