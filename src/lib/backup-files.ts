/** The backups in a directory: their names, and which of them are kept. All times are in UTC. */
import { open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { dayMs } from '#base';

/** How many backups of each kind are kept: the newest one of each of the last days, weeks or months that have one. */
export type KeepRules = Partial<Record<Period, number>>;
type Period = keyof typeof periods;
/** `at`: when the backup was begun. `bytes`: its size. */
export type BackupFile = { name: string; at: Date; bytes: number };

/** The number of the period, of which each has another one. Weeks begin on Monday: 1970-01-05 was one. */
const periods = {
  daily: (at: Date) => Math.floor(at.getTime() / dayMs),
  weekly: (at: Date) => Math.floor((at.getTime() / dayMs - 4) / 7),
  monthly: (at: Date) => at.getUTCFullYear() * 12 + at.getUTCMonth(),
};

export const keepFormat = 'rules such as daily=7,weekly=4,monthly=6, with numbers from 1 to 9999';

/** Returns null for invalid rules. */
export function parseKeepRules(text: string): KeepRules | null {
  const rules: KeepRules = {};
  for (const rule of text.split(',')) {
    const [, name = '', count] = /^(\w+)=([1-9]\d{0,3})$/.exec(rule.trim()) ?? [];
    if (!isPeriod(name) || name in rules) return null;
    rules[name] = Number(count);
  }
  return rules;
}

const isPeriod = (name: string): name is Period => Object.hasOwn(periods, name);

/** The backups that no rule keeps. The newest backup is always kept. @param backups the newest first */
export function listUnneeded(backups: BackupFile[], rules: KeepRules): BackupFile[] {
  const kept = new Set(backups.slice(0, 1));
  for (const [name, count] of Object.entries(rules) as [Period, number][]) {
    const newest = new Map<number, BackupFile>();
    for (const backup of backups.toReversed()) newest.set(periods[name](backup.at), backup);
    const latest = [...newest].sort(([a], [b]) => b - a).slice(0, count);
    for (const [, backup] of latest) kept.add(backup);
  }
  return backups.filter((backup) => !kept.has(backup));
}

const namePattern = /^potluck-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar$/;
const unfinishedPattern = /^potluck-\d{4}-\d\d-\d\dT\d{6}Z\.tar\.[0-9a-f]{8}\.part$/;

export const nameOfBackup = (at: Date): string =>
  `potluck-${at.toISOString().slice(0, 19).replaceAll(':', '')}Z.tar`;

/** The backups of Potluck in the directory, the newest first. Other files are left out. @throws an error of the file system */
export async function listBackups(directory: string): Promise<BackupFile[]> {
  const found = await Promise.all(
    (await readdir(directory)).map(async (name) => {
      const [, date, hours, minutes, seconds] = namePattern.exec(name) ?? [];
      if (date === undefined) return [];
      const at = new Date(`${date}T${hours}:${minutes}:${seconds}Z`);
      const bytes = await sizeOfBackup(path.join(directory, name));
      return bytes === null || Number.isNaN(at.getTime()) ? [] : [{ name, at, bytes }];
    }),
  );
  return found.flat().sort((a, b) => b.at.getTime() - a.at.getTime());
}

/** What a backup begins with: the name of its first file. */
const firstName = 'database.sql.gz\0';

/** Returns null for a file that is no backup. */
async function sizeOfBackup(file: string): Promise<number | null> {
  if (!(await stat(file)).isFile()) return null;
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(firstName.length), 0, firstName.length, 0);
  return buffer.toString('latin1') === firstName ? (await handle.stat()).size : null;
}

/** Removes the backups that no rule keeps, and what a backup that was killed a day ago or earlier left. Returns the names. */
export async function removeUnneeded(directory: string, rules: KeepRules): Promise<string[]> {
  const unneeded = listUnneeded(await listBackups(directory), rules).map(({ name }) => name);
  for (const name of await readdir(directory)) {
    const isUnfinished = unfinishedPattern.test(name);
    if (isUnfinished && Date.now() - (await stat(path.join(directory, name))).mtimeMs > dayMs)
      unneeded.push(name);
  }
  for (const name of unneeded) await rm(path.join(directory, name), { force: true });
  return unneeded;
}
