import { lazily } from '#base';
import { Problem } from '../../lib/errors.ts';
import { Gazetteer } from './gazetteer.ts';
import { readGazetteerFile } from './gazetteer-file.ts';

/**
 * The gazetteer of this process, which takes 18 MB from the first call on.
 * @throws Problem `unavailable` if its file was not built
 */
export const loadGazetteer = lazily(async (): Promise<Gazetteer> => {
  try {
    return new Gazetteer(await readGazetteerFile());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Problem('unavailable', { detail: notBuilt });
  }
});

const notBuilt = 'The towns and cities of this server are not built. Run "npm run build" in its directory.';
