/** Reads backups with the programs of the system, which know nothing of Potluck. */
import { execFile } from 'node:child_process';
import { glob, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { ArchiveWriter, inOnePart, type Manifest } from '../../src/cli/backup/archive.ts';
import { openSql } from './sql-tag.ts';

const run = promisify(execFile);

/** The names of the files in a backup, in their order. */
export async function namesIn(file: string): Promise<string[]> {
  const { stdout } = await run('tar', ['-tf', file]);
  return stdout.trim().split('\n');
}

export async function readFromBackup(file: string, name: string): Promise<Buffer> {
  const { stdout } = await run('tar', ['-xOf', file, name], { encoding: 'buffer', maxBuffer: 2 ** 30 });
  return stdout;
}

/** The SQL of a backup. */
export const readSql = async (file: string): Promise<string> =>
  gunzipSync(await readFromBackup(file, 'database.sql.gz')).toString('utf8');

/** Writes the same archive with another manifest, and valid checksums. */
export async function forgeBackup(file: string, change: (manifest: Manifest) => void): Promise<string> {
  const forged = `${file}.forged`;
  const manifest: Manifest = JSON.parse((await readFromBackup(file, 'manifest.json')).toString('utf8'));
  change(manifest);
  await using handle = await open(forged, 'w');
  const archive = new ArchiveWriter(handle, new Date(manifest.at));
  for (const name of await namesIn(file))
    if (!/^manifest|^checksums/.test(name))
      await archive.add(name, inOnePart(await readFromBackup(file, name)));
  await archive.finish(manifest);
  return forged;
}

/** The images in a data directory, by their paths in it, in base64. */
export async function readImages(dataDir: string): Promise<Record<string, string>> {
  const files = (await Array.fromAsync(glob('uploads/*/*', { cwd: dataDir }))).sort();
  const contents = files.map(async (file) => [file, await readFile(path.join(dataDir, file), 'base64')]);
  return Object.fromEntries(await Promise.all(contents));
}

/** How many of two tables of Potluck a database has. */
export async function countTables(target: string): Promise<number> {
  const sql = await openSql(target, 'tests');
  const rows = await sql`select 1 from pg_class where relname in ('users', 'schema_version')`;
  await sql.end();
  return rows.length;
}
