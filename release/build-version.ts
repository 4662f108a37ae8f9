import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { releases } from './releases.ts';
import { runProgram } from './run-program.ts';

const root = path.join(import.meta.dirname, '..');

export const git = (...args: string[]): Promise<string> => runProgram('git', args, root);

/**
 * The version of the release, if this commit has its files: the list is committed after the release that it names. Otherwise
 * the version of package.json with the commit, as build metadata of semantic versioning.
 */
export async function versionOfBuild(): Promise<string> {
  const release = releases.find(({ version }) => version === manifest.version);
  if (release && (await listChanges(release.commit)) === '') return release.version;
  return `${manifest.version}+${(await git('rev-parse', '--short=12', 'HEAD')).trim()}`;
}

/** Returns null if the clone does not have the commit. */
const listChanges = (commit: string): Promise<string | null> =>
  git('diff', '--name-only', commit, 'HEAD', '--', '.', ':!release/releases.json').catch(() => null);
