import type { Config } from '../config/config.ts';
import { newestVersion } from '../schema/migrate.ts';
import { runCommand } from './command/command-context.ts';

/** `migrate`: reports the migrations. Every command applies them when it opens the database. */
export async function migrateCommand(config: Config): Promise<void> {
  await runCommand(config, async ({ migrations: { length }, backup }) => {
    if (backup) console.log(`The backup before the migration is ${backup}.`);
    const version = await newestVersion();
    console.log(
      length === 0
        ? `The database is up to date, at version ${version}; there was no migration to apply.`
        : `Applied ${length} migration${length === 1 ? '' : 's'}; the database is at version ${version}.`,
    );
  });
}
