/** Three PostgreSQL with Patroni, and one etcd. All processes listen on the loopback address. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findPostgres } from '../../test/support/installed-postgres.ts';
import { createTempDir } from '../../test/support/processes.ts';
import { openSql } from '../../test/support/sql-tag.ts';
import { MissingRequirement } from '../program.ts';
import { requireCommands } from '../requirements.ts';
import { findFreePort } from './free-port.ts';
import { type Identity, type Node, openNode } from './node.ts';

const run = promisify(execFile);

export type Cluster = {
  nodes: Node[];
  /** DATABASE_URL through the proxies. */
  url: string;
  /** The same database without the proxies. */
  directUrl: string;
  /** The primary, once the other nodes follow it and, in synchronous mode, one of them is synchronous. */
  waitUntilHealthy(): Promise<Node>;
  /** The moment, by `performance.now`, at which another node than `old` is the primary. */
  waitForPromotion(old: Node): Promise<number>;
  /** Asks Patroni to move the primary to another node. */
  switchOver(): Promise<void>;
  setSynchronous(isSynchronous: boolean): Promise<void>;
  close(): Promise<void>;
};

/** @throws MissingRequirement */
export async function openCluster(): Promise<Cluster> {
  await requireCommands({ patroni: 'patroni python3-etcd', patronictl: 'patroni', etcd: 'etcd-server' });
  const binaries = await findPostgres(15);
  if (!binaries) throw new MissingRequirement('PostgreSQL is missing: apt-get install postgresql');
  // PostgreSQL refuses to run as root.
  const identity: Identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const directory = await createTempDir();
  const etcd = await startEtcd(directory, identity);
  const password = randomBytes(16).toString('hex');
  const nodes: Node[] = [];
  for (const name of ['a', 'b', 'c']) {
    nodes.push(
      await openNode({
        name,
        directory,
        binaries,
        etcdPort: etcd.port,
        identity,
        superuserPassword: password,
      }),
    );
  }
  const state = { isSynchronous: true };
  const urlTo = (user: string, database: string, ports: number[]) =>
    `postgres://${user}:${password}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${database}` +
    '?target_session_attrs=read-write';
  const directPorts = nodes.map(({ port }) => port);
  const close = async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await etcd.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 20 });
  };
  const waitUntilHealthy = () => untilHealthy(nodes, state);
  try {
    for (const node of nodes) node.start();
    await waitUntilHealthy();
    const sql = await openSql(urlTo('postgres', 'postgres', directPorts));
    await sql.text(`create role potluck login password '${password}'`);
    await sql.text('create database potluck owner potluck');
    await sql.end();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    nodes,
    url: urlTo(
      'potluck',
      'potluck',
      nodes.map(({ clientPort }) => clientPort),
    ),
    directUrl: urlTo('potluck', 'potluck', directPorts),
    waitUntilHealthy,
    waitForPromotion: (old) =>
      waitForPromotion(
        nodes.filter((node) => node !== old).map(({ port }) => urlTo('potluck', 'potluck', [port])),
      ),
    async switchOver() {
      await run('patronictl', ['-c', nodes[0]?.configFile ?? '', 'switchover', 'potluck', '--force']);
    },
    async setSynchronous(isSynchronous) {
      state.isSynchronous = isSynchronous;
      const body = JSON.stringify({ synchronous_mode: isSynchronous });
      const url = `http://127.0.0.1:${nodes[0]?.restPort}/config`;
      const { ok, status } = await fetch(url, { method: 'PATCH', body });
      if (!ok) throw new Error(`Patroni refused the configuration: ${status}`);
      await waitUntilHealthy();
    },
    close,
  };
}

async function startEtcd(parent: string, identity: Identity) {
  const [port, peerPort] = [await findFreePort(), await findFreePort()];
  const directory = path.join(parent, 'etcd');
  await mkdir(directory, { mode: 0o700 });
  if (identity.uid !== undefined && identity.gid !== undefined)
    await chown(directory, identity.uid, identity.gid);
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const urls = [
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--initial-cluster', `default=${peer}`],
  ];
  const child = spawn('etcd', ['--data-dir', directory, ...urls], { cwd: '/', stdio: 'ignore', ...identity });
  const ended = once(child, 'exit');
  for (let waited = 0; waited < 20_000; waited += 100) {
    if ((await fetch(`${client}/health`).catch(() => null))?.ok) break;
    await sleep(100);
  }
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

type Member = { name: string; role: string; state: string; timeline?: number; lag?: number | string };

async function untilHealthy(nodes: Node[], state: { isSynchronous: boolean }): Promise<Node> {
  let members: Member[] = [];
  for (let waited = 0; waited < 180_000; waited += 250) {
    const answers = await Promise.all(nodes.map(membersSeenBy));
    members = answers.find((seen) => seen.length > 0) ?? [];
    const leader = members.find(({ role }) => role === 'leader');
    // A node that was cut off shows what it saw before.
    const agree = answers.every(
      (seen) => leader && seen.some(({ name, role }) => role === 'leader' && name === leader.name),
    );
    const isRunning = members.every(
      (member) =>
        /^(running|streaming)$/.test(member.state) &&
        member.timeline === leader?.timeline &&
        (member === leader || Number(member.lag) < 1_000_000),
    );
    const isSynchronous = members.some(({ role }) => role === 'sync_standby');
    const node = nodes.find(({ name }) => name === leader?.name);
    const isComplete = agree && members.length === nodes.length && isRunning;
    if (node && isComplete && isSynchronous === state.isSynchronous) return node;
    await sleep(250);
  }
  const logs = await Promise.all(nodes.map((node) => node.readLog()));
  throw new Error(`the cluster is not healthy: ${JSON.stringify(members)}\n${logs.join('\n\n')}`);
}

async function membersSeenBy({ restPort }: Node): Promise<Member[]> {
  const signal = AbortSignal.timeout(1_000);
  const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal }).catch(() => null);
  if (!response?.ok) return [];
  return ((await response.json()) as { members?: Member[] }).members ?? [];
}

/** Tries to connect to each standby until one accepts: its URL asks for a primary. */
async function waitForPromotion(urls: string[]): Promise<number> {
  for (const end = performance.now() + 120_000; performance.now() < end; await sleep(25)) {
    const opened = await Promise.all(urls.map((url) => openSql(url).catch(() => null)));
    const at = performance.now();
    const primaries = opened.filter((sql) => sql !== null);
    await Promise.all(primaries.map((sql) => sql.end()));
    if (primaries.length > 0) return at;
  }
  throw new Error('no standby was promoted');
}
