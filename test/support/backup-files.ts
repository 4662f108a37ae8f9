/** Reads backups with the programs of the system, which know nothing of Potluck. */
import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { ArchiveWriter, type Manifest } from '../../src/cli/backup/archive.ts';

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
    if (!/^manifest|^checksums/.test(name)) await archive.add(name, once(await readFromBackup(file, name)));
  await archive.finish(manifest);
  return forged;
}

async function* once(bytes: Buffer) {
  yield bytes;
}
