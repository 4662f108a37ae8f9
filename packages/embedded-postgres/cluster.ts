/** Creates the cluster of the embedded PostgreSQL, and knows which version made it. */
import { execFile, spawn } from 'node:child_process';
import { addAbortListener, once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { readOrCreateSecret, syncDirectory } from '#base';
import { openConnection, raw, sql, type Target } from '#pg';
import { EmbeddedError } from './embedded-error.ts';
import type { Placement } from './placement.ts';
import { cleanEnv, port } from './postmaster.ts';

export type SocketTarget = Exclude<Target, string>;

const run = promisify(execFile);
const user = 'potluck';

export const targetOf = ({ socketDir }: Placement, password: string): SocketTarget => ({
  socketDir,
  port,
  user,
  password,
  database: 'potluck',
});

export const passwordFileOf = (dataDir: string): string => path.join(dataDir, 'database-password');

/** Creates the cluster if it does not exist. Returns its password. */
export async function makeCluster(
  dataDir: string,
  placement: Placement,
  signal?: AbortSignal,
): Promise<string> {
  const found = await majorOfCluster(placement);
  if (found === null) {
    const password = await readOrCreateSecret(passwordFileOf(dataDir));
    await initializeCluster(placement, password, signal);
    return password;
  }
  const major = await majorOfBinaries(placement);
  if (found === major) return readPassword(dataDir);
  throw new EmbeddedError(
    `The database in ${placement.clusterDir} has PostgreSQL ${found}, and this Potluck has PostgreSQL ${major}: run ` +
      '"bin/potluck upgrade-postgres --from DIRECTORY" with the directory of the former Potluck.',
  );
}

/** Reads the password of a cluster that exists. @throws EmbeddedError if the file is missing */
export async function readPassword(dataDir: string): Promise<string> {
  const passwordFile = passwordFileOf(dataDir);
  if (existsSync(passwordFile)) return readOrCreateSecret(passwordFile);
  throw new EmbeddedError(`${passwordFile} is missing; the database beside it cannot be opened without it.`);
}

/** The major version of PostgreSQL that made the cluster; null if there is none. */
export async function majorOfCluster({ clusterDir }: Placement): Promise<number | null> {
  const text = await readFile(path.join(clusterDir, 'PG_VERSION'), 'utf8').catch(() => null);
  return text === null ? null : Number.parseInt(text, 10);
}

export async function majorOfBinaries({ postgres }: Placement): Promise<number> {
  const { stdout } = await run(postgres, ['--version'], { env: cleanEnv() });
  return Number(/ (\d+)/.exec(stdout)?.[1]);
}

const scratchName = 'new-postgres-';

/**
 * Runs initdb in a scratch directory and renames it: a first start that is interrupted leaves no incomplete
 * cluster.
 */
export async function initializeCluster(
  placement: Placement,
  password: string,
  signal?: AbortSignal,
): Promise<void> {
  const { clusterDir, initdb, identity } = placement;
  const parent = path.dirname(clusterDir);
  for (const name of await readdir(parent)) {
    if (name.startsWith(scratchName)) await rm(path.join(parent, name), { recursive: true, force: true });
  }
  const scratch = await mkdtemp(path.join(parent, scratchName));
  try {
    const pwfile = path.join(scratch, 'password');
    const pgdata = path.join(scratch, 'cluster');
    await writeFile(pwfile, password, { mode: 0o600 });
    if (identity) {
      await chown(scratch, identity.uid, identity.gid);
      await chown(pwfile, identity.uid, identity.gid);
    }
    // Explicit encoding and locale: with LANG unset, initdb would choose SQL_ASCII.
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
    const access = ['--auth=scram-sha-256', `--username=${user}`, `--pwfile=${pwfile}`];
    await runInitdb(initdb, [`--pgdata=${pgdata}`, ...locale, ...access], identity, signal);
    await rename(pgdata, clusterDir);
    // Without its name, the next start would delete the cluster as the remains of an interrupted start.
    await syncDirectory(parent);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Runs initdb in its own session, so that Ctrl-C in a terminal reaches only Potluck. */
async function runInitdb(
  initdb: string,
  args: string[],
  identity: Placement['identity'],
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
  const child = spawn(initdb, args, { cwd: '/', env: cleanEnv(), detached: true, stdio, ...identity });
  using _ = signal && addAbortListener(signal, () => child.kill());
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  signal?.throwIfAborted();
  if (code !== 0) throw new EmbeddedError(`The embedded database could not be created.\n${output.trim()}`);
}

export async function createDatabase(target: SocketTarget): Promise<void> {
  const { database } = target;
  const db = await openConnection({ ...target, database: 'postgres' }, 'set-up');
  try {
    const existing = await db.query(sql`select 1 from pg_database where datname = ${database}`);
    if (existing.length === 0) await db.query(sql`create database ${raw(database)}`);
  } finally {
    await db.end();
  }
}
