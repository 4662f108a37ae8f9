/** A PostgreSQL that only the program starts: it can be stopped for a while, and reached through a proxy. */
import { rm } from 'node:fs/promises';
import { openEmbedded } from '#embedded-postgres';
import type { Target } from '#pg';
import { place } from '../packages/embedded-postgres/placement.ts';
import { startServer, stopServer } from '../packages/embedded-postgres/postmaster.ts';
import { createTempDir } from '../test/support/processes.ts';

export type Database = {
  target: Exclude<Target, string>;
  /** A DATABASE_URL: of the socket or, with a port, of TCP. */
  url(port?: number): string;
  start(): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
};

export async function openDatabase(): Promise<Database> {
  const dataDir = await createTempDir();
  const embedded = await openEmbedded(dataDir);
  const { target } = embedded;
  await embedded.close();
  const start = async () => void (await startServer(await place(dataDir), {}));
  const stop = async () => stopServer(await place(dataDir));
  await start();
  return {
    target,
    url(port) {
      const { user, password, database, socketDir } = target;
      return port === undefined
        ? `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(socketDir)}`
        : `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
    },
    start,
    stop,
    async close() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
