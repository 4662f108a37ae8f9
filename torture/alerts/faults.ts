/** Faults that several alerts have in common. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Server } from '../../test/support/processes.ts';
import type { LoadPlan } from '../background-load.ts';
import { openDatabase } from '../database.ts';
import type { Environment } from '../environment.ts';
import { findFreePort } from '../failover/free-port.ts';
import type { FileSystem } from '../file-system.ts';
import { type Load, startLoad } from '../load.ts';
import { requireFakeTime } from '../requirements.ts';
import type { Lab } from './lab.ts';

const run = promisify(execFile);

export function firstOf<T>([first]: T[]): T {
  if (first === undefined) throw new Error('there is none');
  return first;
}

/** Starts a server, at a port that its successors have too, on a database that can be stopped. */
export async function startOnOwnDatabase(lab: Lab) {
  const database = await openDatabase();
  lab.context.addCleanup(database.close);
  const env = { DATABASE_URL: database.url(), PORT: `${await findFreePort()}` };
  return { database, environment: await lab.start({ env, target: database.target }) };
}

/** Sends requests until the program ends. */
export async function keepBusy(
  lab: Lab,
  environment: Environment,
  clients: Parameters<typeof startLoad>[2],
): Promise<Load> {
  const load = startLoad(environment, await environment.people(clients.writers + clients.readers), clients);
  lab.context.addCleanup(load.stop);
  return load;
}

/** Clients that send requests all the time, each from an address of its own. @returns a function that ends them */
export async function overload(
  environment: Environment,
  server: Server,
  clients: number,
): Promise<() => void> {
  const people = await environment.people(clients);
  const plan: LoadPlan = {
    url: server.url,
    tokens: people.map(({ token }) => token),
    routes: [
      { name: 'list', method: 'GET', path: '/v1/events?limit=20' },
      { name: 'feed', method: 'GET', path: '/v1/feed' },
      { name: 'search', method: 'GET', path: '/v1/users/search?q=pa' },
    ],
    clients,
    // Longer than a walk waits for its alert.
    ms: 240_000,
  };
  const program = path.join(import.meta.dirname, '..', 'background-load.ts');
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(JSON.stringify(plan));
  return () => child.kill('SIGKILL');
}

/** A clock of a process that can be set while it runs. */
export async function openClock(lab: Lab) {
  const fakeTime = requireFakeTime();
  const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-clock-'));
  lab.context.addCleanup(() => rm(directory, { recursive: true }));
  const file = path.join(directory, 'shift');
  const set = (seconds: number) => writeFile(file, `+${seconds}s\n`);
  await set(0);
  return { env: { ...fakeTime, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1' }, set };
}

/** The last instruction of the section about the database, for this data directory. */
const psqlOf = (command: string, { dataDir }: Environment): string =>
  command.replaceAll('/var/lib/potluck', dataDir);

/** Runs a statement with the command of the guide. @returns the rows, a line for each */
export async function runPsql(
  command: string,
  environment: Environment,
  statement: string,
): Promise<string[]> {
  const script = `${psqlOf(command, environment)} -At -c "$0"`;
  return (await run('/bin/sh', ['-c', script, statement])).stdout.split('\n').filter(Boolean);
}

/** Leaves a transaction open in psql, as a person may forget it. @returns a function that ends it */
export async function forgetTransaction(environment: Environment, statement: string): Promise<() => void> {
  const { dataDir } = environment;
  const PGPASSWORD = (await readFile(path.join(dataDir, 'database-password'), 'utf8')).trim();
  const child = spawn('psql', ['-qX', '-h', path.join(dataDir, 'postgres-socket'), '-U', 'potluck'], {
    env: { ...process.env, PGPASSWORD },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.write(`begin; ${statement};\n\\echo locked\n`);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return () => child.kill();
}

/** Takes all space of a file system. @returns a function that frees it */
export async function fill({ directory }: FileSystem): Promise<() => Promise<void>> {
  const filler = path.join(directory, 'filler');
  await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1K']).catch(() => {});
  return () => rm(filler);
}
