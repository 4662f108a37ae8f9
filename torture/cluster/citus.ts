/** A cluster with Citus: a coordinator and two workers, which the other nodes reach through proxies. */
import { execFile } from 'node:child_process';
import { access, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { distribute } from '../../src/cli/distribute.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { findPostgres } from '../../test/support/installed-postgres.ts';
import { createTempDir } from '../../test/support/processes.ts';
import { openSql } from '../../test/support/sql-tag.ts';
import { MissingRequirement } from '../program.ts';
import { type CommitFault, type CommitProxy, openCommitProxy } from './commit-proxy.ts';
import { createNode, type Node } from './node.ts';

const run = promisify(execFile);

export type CitusCluster = {
  /** DATABASE_URL: the distributed database on the coordinator. */
  url: string;
  /** The coordinator first. */
  nodes: Node[];
  proxies: CommitProxy[];
  binaries: string;
  directory: string;
  /** Sets the fault of all workers; null ends it. */
  setFault(fault: CommitFault | null): void;
  close(): Promise<void>;
};

const workerCount = 2;
const database = 'potluck';

/** The directory of the programs of a PostgreSQL that has the extension. @throws MissingRequirement */
export async function findCitus(): Promise<string> {
  const binaries = await findPostgres(15);
  if (!binaries) throw new MissingRequirement('PostgreSQL is missing: apt-get install postgresql');
  const { stdout } = await run(path.join(binaries, 'pg_config'), ['--sharedir']).catch(() => ({
    stdout: '',
  }));
  await access(path.join(stdout.trim(), 'extension', 'citus.control')).catch(() => {
    throw new MissingRequirement(
      `the PostgreSQL in ${binaries} has no extension Citus: see "Citus" in docs/operating.md`,
    );
  });
  return binaries;
}

/**
 * Starts the nodes, and migrates and distributes a database.
 * @throws MissingRequirement
 */
export async function openCitus(settings: Record<string, string> = {}): Promise<CitusCluster> {
  const binaries = await findCitus();
  const directory = await createTempDir();
  const nodes: Node[] = [];
  const proxies: CommitProxy[] = [];
  const close = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    for (const proxy of proxies) proxy.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 20 });
  };
  try {
    for (let i = 0; i <= workerCount; i++)
      nodes.push(await createNode({ directory, name: `node-${i}`, binaries, settings }));
    for (const { port } of nodes.slice(1)) proxies.push(await openCommitProxy(port));
    await connectNodes(nodes, proxies);
    const url = nodes[0]?.url(database) ?? '';
    await migrate(url);
    await distribute(url);
    const setFault = (fault: CommitFault | null) => {
      for (const proxy of proxies) proxy.setFault(fault);
    };
    return { url, nodes, proxies, binaries, directory, setFault, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function connectNodes(nodes: Node[], proxies: CommitProxy[]): Promise<void> {
  for (const node of nodes) {
    const admin = await openSql(node.url('postgres'));
    await admin.text(`create database ${database}`);
    await admin.end();
    const sql = await openSql(node.url(database));
    await sql`create extension citus`;
    await sql.end();
  }
  const [coordinator] = nodes;
  if (!coordinator) throw new Error('no node was started');
  const sql = await openSql(coordinator.url(database));
  await sql`select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`;
  for (const { port } of proxies) await sql`select citus_add_node('127.0.0.1', ${port})`;
  await sql.end();
}
