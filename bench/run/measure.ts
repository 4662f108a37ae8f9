/** Measures one work item: the app, then the same in SQL alone, then Node alone. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Candidate, Environment, Prepared, WorkItem } from './environment.ts';
import { Failure, type Measured, pgbench, wrk } from './load.ts';
import type { Options } from './options.ts';
import { cpuSeconds, cpuSecondsOfAll, rssMb, type Server, startApp, startBare } from './processes.ts';
import { ask, type Request } from './response.ts';

export type Bench = {
  environment: Environment;
  options: Options;
  app: Server;
  /** The process of PostgreSQL that has all the others. */
  postmaster: number;
  hasPgbench: boolean;
  /** For requests, scripts and answers. */
  scratch: string;
  signal: AbortSignal;
  /** What the reader of the table should know. */
  notes: string[];
};

/** The best way to do the item in SQL, as a warm-up found it. */
type Limit = { scripts: string[]; clients: number };

export type Round = {
  app: Measured;
  pgbench: number | null;
  bareNode: number;
  cpu: { server: number | null; database: number | null };
  rssMb: number | null;
};

export type Prepping = {
  work: WorkItem;
  prepared: Prepared;
  requestsFile: string;
  answerFile: string;
  limit: Limit | null;
};

const nameOf = ({ item, variant }: WorkItem) => `${item} ${variant}`;
/** Long enough to tell a better way from a worse one. */
const warmUpSeconds = 1;
/** Until the app has seen every request once, or nearly: it is measured as it runs, not as it starts. */
const appWarmUpSeconds = 2;
/** Bare Node is always the same; the time is better spent on the others. */
const bareSeconds = (seconds: number) => Math.min(Math.ceil(seconds / 3), 2);

/** Makes the files, warms the app up, and finds the best way to do the same in SQL. */
export async function prepare(bench: Bench, work: WorkItem): Promise<Prepping> {
  const prepared = await work.prepare(bench.environment);
  await prepared.writes?.reset();
  const file = path.join(bench.scratch, nameOf(work).replace(/\W+/g, '-'));
  const requestsFile = `${file}.requests`;
  const answerFile = `${file}.answer`;
  await writeFile(requestsFile, prepared.requests.map(lineOf).join(''));
  await writeFile(answerFile, JSON.stringify(await sample(bench.app, prepared.requests)));
  await prepared.writes?.reset();
  const files = await writeScripts(file, prepared.candidates);
  const limit = bench.hasPgbench ? await findLimit(bench, work, prepared, files) : null;
  const prepping = { work, prepared, requestsFile, answerFile, limit };
  if (!work.isCold) await warmUp(bench, prepping);
  if (prepared.writes) await untilIdle(bench.environment);
  return prepping;
}

export const warmUp = (bench: Bench, prepping: Prepping) =>
  load(bench, prepping, bench.app.port, appWarmUpSeconds, prepping.work.alsoExpected ?? []);

const lineOf = ({ method, path, token = '', body = '' }: Request) =>
  `${method}\t${path}\t${token}\t${body}\n`;

/** An answer as the app gives it, for bare Node to give as well. */
async function sample(app: Server, [request]: Request[]) {
  if (!request) throw new Failure('there is nothing to ask for');
  const answer = await ask(app.port, request);
  if (answer.status < 300) return answer;
  throw new Failure(`${request.method} ${request.path}: ${answer.status} ${answer.body.slice(0, 300)}`);
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

/** Each way with 8 clients, and the best of them with 32: under contention few connections beat many. */
async function findLimit(
  bench: Bench,
  work: WorkItem,
  prepared: Prepared,
  candidates: Candidate[],
): Promise<Limit | null> {
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
    const many = await attempt(best.candidate, 32);
    for (const { candidate, rate } of others) {
      const than = `"${best.candidate.name}" ${Math.round(best.rate)}/s`;
      bench.notes.push(
        `${nameOf(work)}: in SQL, ${than} was better than "${candidate.name}" ${Math.round(rate)}/s.`,
      );
    }
    return { scripts: best.candidate.scripts, clients: many > best.rate ? 32 : 8 };
  } catch (error) {
    bench.signal.throwIfAborted();
    bench.notes.push(`${nameOf(work)}: no limit by pgbench: ${(error as Error).message.split('\n', 1)}`);
    return null;
  }
}

/** Draws the requests anew, and starts the server anew. Waits until its index is loaded. */
export async function prepareCold(
  bench: Bench,
  { work, requestsFile }: Prepping,
  seed: number,
): Promise<void> {
  const { requests } = await work.prepare(bench.environment, seed);
  await writeFile(requestsFile, requests.map(lineOf).join(''));
  await bench.app.stop();
  bench.app = await startApp(bench.environment.dataset, bench.signal);
  await untilIndexed(bench);
}

async function untilIndexed({ app }: Bench): Promise<void> {
  for (let waited = 0; waited < 120_000; waited += 50) {
    const { body } = await ask(app.port, { method: 'GET', path: '/metrics' });
    if (/^potluck_discovery_index_events [1-9]/m.test(body)) return;
    await sleep(50);
  }
  throw new Failure('the discovery index was not loaded within two minutes');
}

/** @throws Failure when an answer, or what is in the database after it, is not what it should be */
export async function measure(bench: Bench, prepping: Prepping): Promise<Round> {
  const { work, limit, answerFile } = prepping;
  const { seconds } = bench.options;
  const app = await measureApp(bench, prepping);
  const inSql = limit && (await measureSql(bench, prepping, limit));
  const bare = await startBare(answerFile);
  try {
    const { rps } = await load(bench, prepping, bare.port, bareSeconds(seconds), []);
    return { ...app, pgbench: inSql, bareNode: rps };
  } catch (error) {
    bench.signal.throwIfAborted();
    throw new Error(`${nameOf(work)}, bare Node: ${(error as Error).message}`);
  } finally {
    await bare.stop();
  }
}

async function measureApp(bench: Bench, prepping: Prepping): Promise<Omit<Round, 'pgbench' | 'bareNode'>> {
  const { app, postmaster, options, environment } = bench;
  const { work, prepared } = prepping;
  await prepared.writes?.reset();
  const look = () => Promise.all([cpuSeconds(app.pid), cpuSecondsOfAll(postmaster)]);
  const before = await look();
  const began = performance.now();
  const measured = await load(bench, prepping, app.port, options.seconds, work.alsoExpected ?? []);
  const after = await look();
  const elapsed = (performance.now() - began) / 1_000;
  const cores = (from: number | null, to: number | null) =>
    from === null || to === null ? null : (to - from) / elapsed;
  const cpu = { server: cores(before[0], after[0]), database: cores(before[1], after[1]) };
  if (prepared.writes) {
    await untilIdle(environment);
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

async function measureSql(bench: Bench, { work, prepared }: Prepping, limit: Limit): Promise<number> {
  const { environment, options, signal } = bench;
  const rate = await pgbench(environment.dataset, { ...limit, seconds: options.seconds }, signal);
  const wrong = await prepared.writes?.verify(null);
  await prepared.writes?.reset();
  if (wrong) throw new Failure(`${nameOf(work)}, pgbench: ${wrong}`);
  return rate;
}

const load = (
  { options: { connections }, signal }: Bench,
  { requestsFile, work }: Pick<Prepping, 'requestsFile' | 'work'>,
  port: number,
  seconds: number,
  alsoExpected: number[],
) => wrk({ port, requestsFile, seconds, connections, alsoExpected, once: work.once ?? false }, signal);

/**
 * What was under way when the load generator left is written or given up by then: it must neither be missed by a check
 * nor come in between a reset's statements.
 */
async function untilIdle({ sql }: Environment): Promise<void> {
  for (let quiet = 0, round = 0; quiet < 3 && round < 100; round++) {
    await sleep(100);
    const [row] = await sql<[{ busy: number }]>`
      select count(*)::int as busy from pg_stat_activity
      where application_name = 'potluck' and state <> 'idle' and pid <> pg_backend_pid()`;
    quiet = row.busy === 0 ? quiet + 1 : 0;
  }
}

/** Whatever an earlier run left when it was cut off. */
export async function takeBackAll(environment: Environment, items: WorkItem[]): Promise<void> {
  for (const work of items) await (await work.prepare({ ...environment, mostWrites: 1 })).writes?.reset();
}

export const removeScratch = (scratch: string) => rm(scratch, { recursive: true, force: true });
