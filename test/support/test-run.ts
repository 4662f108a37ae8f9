/**
 * Starts one PostgreSQL server for the test run, or connects to the one at `TEST_DATABASE_URL`, with a migrated template
 * database that each file clones, and writes the OpenAPI document, which every file validates responses against.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openEmbedded } from '#embedded-postgres';
import type { Target } from '#pg';
import { readConfig } from '../../src/config/config.ts';
import { createDocument } from '../../src/server/create-document.ts';
import { buildWeb } from '../../web/build.ts';
import { openSql } from './sql-tag.ts';
import { openRun, toUrl } from './test-database.ts';

const root = path.join(import.meta.dirname, '..', '..');

let dataDir: string;
let closeServer: () => Promise<void>;

/** @param needsPages whether a file of the run requests pages, or uses the package of the client */
export async function openTestRun({ needsPages }: { needsPages: boolean }): Promise<void> {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'potluck-test-'));
  // Under root, PostgreSQL runs as another user. If that user can enter this directory, all files of the
  // cluster are stored in it, and closeTestRun deletes them.
  await chmod(dataDir, 0o755);
  const { TEST_DATABASE_URL: external } = process.env;
  const openServer = async () => (external ? openRun(external) : openEmbeddedServer(dataDir));
  // Building the pages takes longer than most files of tests.
  [closeServer] = await Promise.all([openServer(), needsPages ? buildWeb() : undefined]);
  process.env.POTLUCK_TEST_OPENAPI = path.join(dataDir, 'openapi.json');
  // The options of a server change no path and no schema of its document.
  const document = await createDocument(readConfig({ DATA_DIR: dataDir }));
  await writeFile(process.env.POTLUCK_TEST_OPENAPI, JSON.stringify(document));
  // Each part of the suites runs in its own process. Without a cache, compilation takes half of the start time.
  process.env.NODE_COMPILE_CACHE ??= path.join(root, 'node_modules', '.cache', 'node');
  // The default of 16 MiB makes the start of a process collect garbage several times, a tenth of its CPU time.
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`.trim();
}

export async function closeTestRun(): Promise<void> {
  await closeServer();
  await rm(dataDir, { recursive: true, force: true });
}

/** @returns a function that stops the server */
async function openEmbeddedServer(directory: string): Promise<() => Promise<void>> {
  // Tests kill processes but never the machine, so they do not need writes to reach the disk.
  const options = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const embedded = await openEmbedded(directory, options);
  const server = embedded.target as Exclude<Target, string>;
  const sql = await openSql(server, 'tests');
  // Each test file opens dozens of connections, and the usual 4,096 hashes of the password are most of their CPU time.
  await sql.text('set scram_iterations = 1');
  await sql.text(`alter role ${server.user} password '${server.password}'`);
  await sql.end();
  // The databases are removed with the whole server: dropping one would make PostgreSQL write all of them to the disk.
  await openRun(toUrl(server));
  return () => embedded.close();
}
