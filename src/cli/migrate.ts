import type { Config } from '../lib/config.ts';
import { inWorld } from './world.ts';

/** Opening the world migrates; there is nothing left to do. */
export async function migrateCommand(config: Config): Promise<void> {
  await inWorld(config, async () => console.log('The database is up to date.'));
}
