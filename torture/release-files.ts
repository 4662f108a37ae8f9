/** The files of an earlier release, from which its servers can run beside those of this version. */
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Release } from '../release/releases.ts';
import { runNpm, runProgram } from '../release/run-program.ts';
import { MissingRequirement } from './program.ts';

const root = path.join(import.meta.dirname, '..');

/**
 * Unpacks the release into the directory, with its packages.
 * @returns its entry point
 * @throws MissingRequirement if the clone lacks its commit
 */
export async function unpackRelease({ version, commit }: Release, home: string): Promise<string> {
  await mkdir(home);
  const tar = `${home}.tar`;
  await runProgram('git', ['archive', '--output', tar, commit], root).catch((error: Error) => {
    throw new MissingRequirement(`this clone lacks the commit of ${version} (${error.message})`);
  });
  await runProgram('tar', ['-xf', tar, '-C', home], root);
  await rm(tar);
  const lock = (directory: string) => readFile(path.join(directory, 'package-lock.json'), 'utf8');
  if ((await lock(home)) === (await lock(root)))
    await symlink(path.join(root, 'node_modules'), path.join(home, 'node_modules'));
  else await runNpm(home, ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline']);
  return path.join(home, 'bin', 'potluck.js');
}
