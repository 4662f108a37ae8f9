/**
 * Backups that the last development version before the first release wrote. They have the format 1 and the migration 27;
 * 27 migrations made a schema from which migration 1 differs: two columns of `rsvps` no longer exist, causes of
 * notifications have one actor, `is_price_known` was false in older rows with a price, and phones were the only contacts.
 */
import { type Queryable, raw } from '#pg';
import { CommandError } from '../command/command-error.ts';
import type { BackupHeader } from './file-format.ts';

const lastDevelopmentMigration = 27;
const schemaOfLastDevelopment = 1;

export const isOfDevelopment = ({ format }: BackupHeader): boolean => format === 1;

/** @throws CommandError for a backup of an older development version */
export function refuseOldDevelopment({ schema }: BackupHeader): void {
  if (schema === lastDevelopmentMigration) return;
  throw new CommandError(
    `The backup was made by a development version of Potluck (migration ${schema}). Only backups of ` +
      `the last one (migration ${lastDevelopmentMigration}) can be restored.`,
  );
}

/** The number of the migration whose schema the rows fit. */
export const schemaOf = (header: BackupHeader): number =>
  isOfDevelopment(header) ? schemaOfLastDevelopment : header.schema;

/** Tables whose rows had the hash of a phone. */
const tablesOfCodes = ['codes', 'code_tries', 'known_networks'];

/** Lets the tables accept the rows. */
export async function addDroppedColumns(db: Queryable): Promise<void> {
  await db.query(raw('alter table contacts rename to phones'));
  await db.query(raw('alter table phones rename contact to phone'));
  for (const table of tablesOfCodes)
    await db.query(raw(`alter table ${table} rename contact_hash to phone_hash`));
  await db.query(
    raw('alter table rsvps add column previous text, add column previous_extra_guests smallint'),
  );
  await db.query(
    raw(`
    alter table notification_causes add column actor_ids uuid[], add column amounts int[],
      alter column actor_id drop not null, alter column amount drop not null`),
  );
}

/** Adapts the restored rows to the present schema. */
export async function convertRows(db: Queryable): Promise<void> {
  await db.query(raw('alter table phones rename phone to contact'));
  await db.query(raw('alter table phones rename to contacts'));
  for (const table of tablesOfCodes)
    await db.query(raw(`alter table ${table} rename phone_hash to contact_hash`));
  await db.query(raw('alter table rsvps drop column previous, drop column previous_extra_guests'));
  await db.query(
    raw(
      'update notification_causes set actor_id = actor_ids[1], amount = (select sum(a) from unnest(amounts) a)',
    ),
  );
  await db.query(
    raw(`
    alter table notification_causes drop column actor_ids, drop column amounts,
      alter column actor_id set not null, alter column amount set not null`),
  );
  await db.query(raw('update events set is_price_known = true where price > 0'));
}
