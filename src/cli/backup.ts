/**
 * `backup FILE`, `backup DIRECTORY`: writes the database and the images to one file. `backup --verify FILE`: restores it for a
 * test.
 */
import { addAbortListener } from 'node:events';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { openConnection, sql, type Target, transactionOn } from '#pg';
import type { Config } from '../config/config.ts';
import {
  type KeepRules,
  keepFormat,
  listBackups,
  nameOfBackup,
  parseKeepRules,
  removeUnneeded,
} from '../lib/backup-files.ts';
import { openStorage, type Storage } from '../modules/uploads/storage.ts';
import { AdvisoryLock } from '../schema/locks.ts';
import { describeContents, describeMissing, sizeText } from './backup/manifest-text.ts';
import { verifyBackup } from './backup/verify.ts';
import { checkDestination, writeBackup } from './backup/write-backup.ts';
import { withDatabase } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';
import { stopSignal } from './command/stop.ts';

type Options = { force?: boolean; 'without-images'?: boolean; verify?: boolean; keep?: string; due?: string };

const usage =
  'Usage: backup FILE [--force] [--without-images]; backup DIRECTORY [--keep RULES] [--without-images]; backup --verify FILE';

export async function backupCommand(config: Config, rest: string[], options: Options): Promise<void> {
  const [place, ...others] = rest;
  if (!place || others.length > 0) throw new CommandError(usage);
  const signal = stopSignal();
  if (options.verify) return verifyBackup(place, signal);
  const isDirectory = (await stat(place).catch(() => null))?.isDirectory() ?? false;
  if (!isDirectory && (options.keep ?? options.due) !== undefined)
    throw new CommandError(`${place} is not a directory; --keep needs one that exists.`);
  const keep = readKeep(options.keep);
  const due = readDue(options.due);
  if (!isDirectory) await checkDestination(place, options.force ?? false);
  await withDatabase(config, { stop: signal, mustExist: true }, async (target) => {
    const storage = options['without-images'] ? null : openStorage(config);
    const source = { target, storage };
    if (isDirectory) await backUpInto(source, place, { keep, due, signal });
    else await backUpTo(source, place, { force: options.force ?? false, signal });
  });
}

function readKeep(text: string | undefined): KeepRules | null {
  const rules = text === undefined ? null : parseKeepRules(text);
  if (text !== undefined && !rules) throw new CommandError(`--keep is "${text}"; it must be ${keepFormat}.`);
  return rules;
}

function readDue(text: string | undefined): Date | null {
  const due = text === undefined ? null : new Date(text);
  if (due && Number.isNaN(due.getTime()))
    throw new CommandError(`--due is "${text}"; it must be a time such as 2026-11-26T03:30:00Z.`);
  return due;
}

type Source = { target: Target; storage: Storage | null };

async function backUpTo(
  source: Source,
  file: string,
  options: { force: boolean; signal: AbortSignal },
): Promise<void> {
  const { database, images } = await writeBackup(source, file, options);
  const { size } = await stat(file);
  const rows = Object.fromEntries(Object.entries(database.tables).map(([name, { rows }]) => [name, rows]));
  const contents = describeContents({ rows, images: images ?? { count: 0, bytes: 0 } });
  console.log(`${file}: ${contents}, ${sizeText(size)}.`);
  for (const sentence of describeMissing(images)) console.log(sentence);
  console.log(
    'It contains personal data. Keep a copy of SECRET_KEY (or DATA_DIR/secret-key) in another place.',
  );
}

type Rules = { keep: KeepRules | null; due: Date | null; signal: AbortSignal };

/**
 * Writes a backup into a directory, and then removes those that no rule keeps. Does nothing if the directory has a backup of
 * the time `due` or later.
 */
async function backUpInto(source: Source, directory: string, { keep, due, signal }: Rules): Promise<void> {
  await inTurn(source.target, signal, async () => {
    const [newest] = due ? await listBackups(directory) : [];
    if (due && newest && newest.at >= due)
      return console.log(`${directory} has ${newest.name} already. No backup was made.`);
    await backUpTo(source, path.join(directory, nameOfBackup(new Date())), { force: false, signal });
    const removed = keep ? await removeUnneeded(directory, keep) : [];
    for (const name of removed) console.log(`${name} was removed.`);
  });
}

/** Waits for backups that other processes make of the same database. */
async function inTurn(target: Target, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const connection = await openConnection(target, 'backup turn');
  // A statement that waits for a lock does not end by itself.
  using _ = addAbortListener(signal, () => connection.destroy());
  try {
    await transactionOn(connection, async () => {
      await connection.query(sql`select pg_advisory_xact_lock(${AdvisoryLock.backup})`);
      await work();
    });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    connection.destroy();
  }
}
