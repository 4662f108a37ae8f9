import { Problem } from '../../lib/errors.ts';
import type { Gazetteer } from '../../modules/places/gazetteer.ts';
import { loadGazetteer } from '../../modules/places/load-gazetteer.ts';
import { CommandError } from './command-error.ts';

/** @throws CommandError if the file of the towns was not built */
export const openGazetteer = (): Promise<Gazetteer> =>
  loadGazetteer().catch((error) => {
    throw error instanceof Problem ? new CommandError(error.message) : error;
  });
