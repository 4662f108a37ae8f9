/** Moves the embedded database to the major version of PostgreSQL that this Potluck has. */
import { rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '#base';
import { type Connection, one, openConnection, sql } from '#pg';
import { findBinariesIn } from './binaries.ts';
import {
  createDatabase,
  initializeCluster,
  majorOfBinaries,
  majorOfCluster,
  readPassword,
  type SocketTarget,
  targetOf,
} from './cluster.ts';
import { databaseInUse, lockFileOf } from './embedded.ts';
import { EmbeddedError } from './embedded-error.ts';
import { withFileLock } from './file-lock.ts';
import { completeUpgrade, type Placement, place, placeBeside, upgradedDirOf } from './placement.ts';
import { startServer, stopServer } from './postmaster.ts';

/** Major versions of PostgreSQL. */
export type ClusterVersions = { from: number; to: number };
type Clusters = { old: Placement; next: Placement; password: string };

/**
 * Creates a new cluster beside the old one, copies the data, and lets the new one take its place. After an error, the old
 * cluster is as before.
 * @param from the directory with the PostgreSQL of the old cluster
 * @param copy copies the data from the old database to the new one
 * @returns `kept`: the directory of the old cluster, which nothing reads any more
 * @throws EmbeddedError for the operator, also if a server of the old version runs; LockedError; errors of `copy`
 */
export function upgradeCluster(
  dataDir: string,
  from: string,
  copy: (old: SocketTarget, next: SocketTarget, versions: ClusterVersions) => Promise<void>,
  signal: AbortSignal,
): Promise<ClusterVersions & { kept: string }> {
  const upgrade = async () => {
    const present = await place(dataDir);
    const versions = await readVersions(present);
    const old = await place(dataDir, await findBinariesIn(from));
    const major = await majorOfBinaries(old);
    if (major !== versions.from)
      throw new EmbeddedError(`${from} has PostgreSQL ${major}, and the database needs ${versions.from}.`);
    const next = await placeBeside(present, `${present.clusterDir}-incomplete`);
    for (const remains of [next.clusterDir, upgradedDirOf(present.clusterDir)])
      await rm(remains, { recursive: true, force: true });
    const password = await readPassword(dataDir);
    await initializeCluster(next, password, signal);
    await withServers({ old, next, password }, signal, (...targets) => copy(...targets, versions));
    await rmdir(next.socketDir).catch(() => {});
    return { ...versions, kept: await exchange(present, next, versions.from) };
  };
  return withFileLock(lockFileOf(dataDir), upgrade, { waitMs: 1_000, signal });
}

async function readVersions(placement: Placement): Promise<ClusterVersions> {
  const [from, to] = [await majorOfCluster(placement), await majorOfBinaries(placement)];
  if (from === null) throw new EmbeddedError(`${placement.clusterDir} contains no database.`);
  if (from === to) throw new EmbeddedError(`The database has PostgreSQL ${to} already.`);
  return { from, to };
}

/** Runs the servers of both clusters during `work`. @throws EmbeddedError if another process uses the old one */
async function withServers(
  { old, next, password }: Clusters,
  signal: AbortSignal,
  work: (old: SocketTarget, next: SocketTarget) => Promise<void>,
): Promise<void> {
  const [from, to] = [targetOf(old, password), targetOf(next, password)];
  const wasStarted = await startServer(old, {}, signal);
  const lockHolder = await openConnection(from, 'presence');
  try {
    // What a running Potluck writes meanwhile would be lost.
    if (!(await takeLock(lockHolder))) throw new EmbeddedError('Stop every process of Potluck first.');
    await startServer(next, {}, signal);
    await createDatabase(to);
    await work(from, to);
    await stopServer(old);
  } finally {
    lockHolder.destroy();
    await stopServer(next);
    if (wasStarted) await stopServer(old);
  }
}

/** Returns false if another process holds the lock: every process that uses the embedded database does. */
async function takeLock(lockHolder: Connection): Promise<boolean> {
  const { isTaken } = one(
    await lockHolder.query<{ isTaken: boolean }>(
      sql`select pg_try_advisory_lock(${databaseInUse}) as is_taken`,
    ),
  );
  return isTaken;
}

/** The next start completes what is interrupted between the last two steps. @returns the directory of the old cluster */
async function exchange(present: Placement, next: Placement, from: number): Promise<string> {
  const parent = path.dirname(present.clusterDir);
  const kept = path.join(parent, `postgres-${from}.old`);
  await rename(next.clusterDir, upgradedDirOf(present.clusterDir));
  await syncDirectory(parent);
  await rename(present.clusterDir, kept);
  await completeUpgrade(present.clusterDir);
  return kept;
}
