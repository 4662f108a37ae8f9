/**
 * Backups that the last development version before the first release wrote. They have the format 1 and the migration 27;
 * 27 migrations made the schema that is migration 1 now. Two columns of that schema no longer exist, and
 * `is_price_known` was false in older rows with a price.
 */
import type { Queryable } from '../../db/query.ts';
import { raw } from '../../db/sql.ts';
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

/** Lets the tables accept the rows. */
export const addDroppedColumns = (db: Queryable): Promise<unknown> =>
  db.query(raw('alter table rsvps add column previous text, add column previous_extra_guests smallint'));

/** Adapts the restored rows to the present schema. */
export async function convertRows(db: Queryable): Promise<void> {
  await db.query(raw('alter table rsvps drop column previous, drop column previous_extra_guests'));
  await db.query(raw('update events set is_price_known = true where price > 0'));
}
