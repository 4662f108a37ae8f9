/** `restore --dry-run FILE`: says what a restore would do, and changes nothing. */
import { freeBytesOf, nearestDirectory } from '#base';
import { openConnection, type Target, transactionOn } from '#pg';
import type { Config } from '../../config/config.ts';
import { openStorage } from '../../modules/uploads/storage.ts';
import { newestVersion } from '../../schema/migrate.ts';
import { hasNoDatabase, withDatabase } from '../command/command-context.ts';
import type { BackupHeader } from './file-format.ts';
import { describeContents, describeMissing, sizeText } from './manifest-text.ts';
import type { Contents } from './read-archive.ts';
import { refuseNewer, refuseRows } from './restore-target.ts';
import { listTables } from './tables.ts';

type DryRun = { file: string; contents: Contents; stop: AbortSignal };

/** @throws CommandError with the reason for which a restore would be refused */
export async function describeRestore(config: Config, { file, contents, stop }: DryRun): Promise<void> {
  const { header, manifest } = contents;
  const newest = await newestVersion();
  const where = config.databaseUrl === undefined ? `in ${config.dataDir}` : 'at DATABASE_URL';
  console.log(`${file} is complete. Potluck ${header.potluck} made it at ${header.at}.`);
  console.log(`It has ${describeContents(contents)}.`);
  for (const sentence of describeMissing(manifest?.images ?? null)) console.log(sentence);
  if (await hasNoDatabase(config)) console.log(`There is no database ${where}: a restore creates it.`);
  else {
    await withDatabase(config, { stop }, (target) => refuseUnfitTarget(target, header));
    console.log(`The database ${where} is empty.`);
  }
  console.log(`Its schema would be that of migration ${newest}; the backup has that of ${header.schema}.`);
  if (contents.images.count > 0) console.log(`The images would be written to ${openStorage(config).place}.`);
  console.log(await describeSpace(config, contents));
  console.log('Nothing was changed.');
}

async function refuseUnfitTarget(target: Target, header: BackupHeader): Promise<void> {
  const connection = await openConnection(target, 'restore');
  const examine = async () => {
    const version = await refuseNewer(connection, header);
    if (version > 0) await refuseRows(connection, await listTables(connection));
  };
  try {
    await transactionOn(connection, examine, 'read only');
  } finally {
    connection.destroy();
  }
}

/** The database is larger than its rows as text, because of indexes and the write-ahead log (docs/operating.md, Backup). */
const growth = 6;

async function describeSpace({ dataDir, databaseUrl, s3 }: Config, contents: Contents): Promise<string> {
  const database =
    contents.manifest && databaseUrl === undefined ? contents.manifest.database.bytes * growth : 0;
  const needed = database + (s3 ? 0 : contents.images.bytes);
  const free = await freeBytesOf(await nearestDirectory(dataDir));
  const text = `About ${sizeText(needed)} are needed on the disk of ${dataDir}, which has ${sizeText(free)} free`;
  return free < needed ? `${text}: too little.` : `${text}.`;
}
