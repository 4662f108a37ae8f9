/** The backups that servers make: whether there is a recent one, and space for the next. */
import { access, constants } from 'node:fs/promises';
import { freeBytesOf, hourMs } from '#base';
import { broken, type Check, good, type Result, reasonOf, skipped, warning } from '../../doctor/finding.ts';
import { type BackupFile, listBackups } from '../../lib/backup-files.ts';
import { sizeText } from '../backup/manifest-text.ts';

/** A backup is made each day, and takes less than two hours. */
const oldHours = 26;

export const backups: Check = {
  name: 'backups',
  variables: ['BACKUP_'],
  async run({ config }) {
    if (!config.backups)
      return skipped(
        'Servers make no backups by themselves.',
        'Set BACKUP_DIR, or make backups in another way.',
      );
    const { directory } = config.backups;
    try {
      await access(directory, constants.W_OK | constants.X_OK);
      const [newest] = await listBackups(directory);
      return newest ? await examineNewest(directory, newest) : noBackup(directory);
    } catch (error) {
      return broken(
        `Backups cannot be written to ${directory}: ${reasonOf(error)}.`,
        'Create the directory for the user of the server, or correct BACKUP_DIR.',
      );
    }
  },
};

const noBackup = (directory: string): Result =>
  warning(
    `There is no backup in ${directory}.`,
    'A server that runs makes one within a minute; its log has the reason if it cannot.',
  );

async function examineNewest(directory: string, { name, at, bytes }: BackupFile): Promise<Result> {
  const hours = Math.floor((Date.now() - at.getTime()) / hourMs);
  const text = `The newest backup in ${directory} is ${name}, of ${sizeText(bytes)}`;
  if (hours >= oldHours)
    return warning(
      `${text}. It is ${hours} hours old.`,
      'Look for "the backup was not made" in the log of the server; or run: bin/potluck backup DIRECTORY.',
    );
  const free = await freeBytesOf(directory);
  if (free < bytes)
    return warning(
      `${text}. Only ${sizeText(free)} are free there, too little for the next one.`,
      'Free space, keep fewer backups (BACKUP_KEEP), or set BACKUP_DIR to a larger disk.',
    );
  return good(`${text}.`);
}
