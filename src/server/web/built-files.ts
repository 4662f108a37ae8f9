/** The files that web/build.ts writes. A server does not build them; it only says when they are missing or outdated. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isGazetteerBuilt } from '../../modules/places/gazetteer-file.ts';

/** The output of web/build.ts. */
export const buildDirectory = path.join(import.meta.dirname, '..', '..', '..', 'web', 'build');

/** Files of the first and of the last step of a build. */
const steps = ['server/server.js', 'reference/scalar.js'].map((file) => path.join(buildDirectory, file));

export const isBuilt = (): boolean => steps.every((file) => existsSync(file));

/** Why visitors would see no pages, or old ones, or find no towns; null if all is current, or if the sources are not there. */
export async function findBuildProblem(): Promise<string | null> {
  if (!isBuilt()) return 'the pages are not built; run: npm run build';
  if (!isGazetteerBuilt()) return 'the towns and cities are not built; run: npm run build';
  // An installation may lack the sources.
  const sources = await import('../../../web/sources.ts')
    .then((file) => file.hashPageSources())
    .catch(() => null);
  const built = await readFile(path.join(buildDirectory, '.inputs'), 'utf8').catch(() => null);
  if (sources === null || sources === built) return null;
  return 'the pages are older than their sources; run: npm run build';
}
