/** The backups that servers make by themselves. */
import path from 'node:path';
import { keepFormat, parseKeepRules } from '../lib/backup-files.ts';
import type { Reader } from './reader.ts';

export type BackupConfig = {
  /** An absolute path. */
  directory: string;
  /** When the backup of a day is due, in minutes after midnight in UTC. */
  atMinute: number;
  /** The rules of the option `--keep`. */
  keep: string;
};

/** Returns undefined if servers make no backups. */
export function readBackups(read: Reader): BackupConfig | undefined {
  const directory = read.text('BACKUP_DIR');
  const at = read.text('BACKUP_AT');
  const keep = read.text('BACKUP_KEEP');
  if (directory === undefined && (at ?? keep) !== undefined)
    read.needed('BACKUP_DIR', 'BACKUP_AT and BACKUP_KEEP need it');
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(at ?? '03:30') ?? [];
  if (hours === undefined)
    read.faults.push(`BACKUP_AT is "${at}"; it must be a time from 00:00 to 23:59 in UTC, such as 03:30.`);
  if (keep !== undefined && !parseKeepRules(keep))
    read.faults.push(`BACKUP_KEEP is "${keep}"; it must be ${keepFormat}.`);
  if (directory === undefined) return undefined;
  return {
    directory: path.resolve(directory),
    atMinute: Number(hours) * 60 + Number(minutes),
    keep: keep ?? 'daily=7,weekly=4',
  };
}
