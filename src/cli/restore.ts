/** `restore FILE`: loads a backup into an empty database, and its images into DATA_DIR or the bucket. */
import type { Config } from '../config/config.ts';
import { openStorage } from '../modules/uploads/storage.ts';
import { describeRestore } from './backup/dry-run.ts';
import { describeContents } from './backup/manifest-text.ts';
import { checkBackup, restoreBackup } from './backup/restore-backup.ts';
import { withDatabase } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';
import { stopSignal } from './command/stop.ts';

export async function restoreCommand(
  config: Config,
  rest: string[],
  { 'dry-run': isDryRun = false }: { 'dry-run'?: boolean },
): Promise<void> {
  const [file, ...others] = rest;
  if (!file || others.length > 0) throw new CommandError('Usage: restore [--dry-run] FILE');
  const stop = stopSignal();
  // The check comes first, so a damaged file does not leave a new, empty embedded database behind.
  const contents = await checkBackup(file, stop);
  if (isDryRun) return describeRestore(config, { file, contents, stop });
  await withDatabase(config, { stop }, async (target) => {
    const storage = openStorage(config);
    const restored = await restoreBackup({ target, storage }, file, { signal: stop });
    console.log(`${file}: ${describeContents(restored)} were restored.`);
  });
}
