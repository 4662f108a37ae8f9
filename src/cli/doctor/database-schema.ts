/** Whether this version of Potluck can use the database: PostgreSQL, the migrations, and what the role may do. */
import { type Database, one, sql } from '#pg';
import type { Config } from '../../config/config.ts';
import { broken, good, type Result, warning } from '../../doctor/finding.ts';
import {
  MigrationError,
  newestVersion,
  refuseChanged,
  refuseUnfit,
  versionOf,
} from '../../schema/migrate.ts';

export type DatabaseCheck = { name: string; run(db: Database, config: Config): Promise<Result | Result[]> };

const postgres: DatabaseCheck = {
  name: 'database',
  async run(db) {
    const fault = await refuseUnfit(db).catch((error) => {
      if (error instanceof MigrationError) return error.message;
      throw error;
    });
    if (fault)
      return broken(
        `The database cannot be used: ${fault}.`,
        'Move the data into a database of PostgreSQL 15 or later with the encoding UTF8.',
      );
    const { version, isReadOnly } = one(
      await db.query<{ version: string; isReadOnly: boolean }>(sql`
        select current_setting('server_version') as version,
          current_setting('transaction_read_only')::boolean as is_read_only`),
    );
    if (!isReadOnly) return good(`PostgreSQL ${version} responds.`);
    return broken(
      `PostgreSQL ${version} responds, and accepts no writes (transaction_read_only is on).`,
      'Set default_transaction_read_only to off for the role and the database, or name the primary in DATABASE_URL.',
    );
  },
};

const migrations: DatabaseCheck = {
  name: 'migrations',
  async run(db) {
    const newest = await newestVersion();
    try {
      const version = await versionOf(db);
      if (version > 0) await refuseChanged(db);
      return describeVersion(version, newest);
    } catch (error) {
      if (!(error instanceof MigrationError)) throw error;
      return broken(
        `The database cannot be used: ${error.message}.`,
        'Use the version of Potluck that made the database, or move the data (docs/operating.md, Upgrade).',
      );
    }
  },
};

function describeVersion(version: number, newest: number): Result {
  if (version === newest) return good(`The database is at migration ${version}, the newest of this version.`);
  if (version > newest)
    return broken(
      `The database is at migration ${version}, and this Potluck has migrations up to ${newest} only.`,
      'Start the newer version that migrated it; or restore a backup of this version into a new database.',
    );
  return warning(
    version === 0
      ? 'The database has no tables of Potluck.'
      : `The database is at migration ${version} of ${newest}.`,
    'Make a backup, and run: bin/potluck migrate. The start of a server migrates too.',
  );
}

const rights: DatabaseCheck = {
  name: 'database role',
  async run(db) {
    const { role, mayCreate, mayExtend } = one(
      await db.query<{ role: string; mayCreate: boolean; mayExtend: boolean }>(sql`
        select current_user as role,
          coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
          has_database_privilege(current_database(), 'create')
            or exists (select 1 from pg_extension where extname = 'pg_trgm') as may_extend`),
    );
    const faults = [
      ...(mayCreate
        ? []
        : [lacksRight(role, 'create tables', 'grant create, usage on schema public to ROLE')]),
      ...(mayExtend
        ? []
        : [lacksRight(role, 'create the extension pg_trgm', 'grant create on database DATABASE to ROLE')]),
      ...(await findForeignTables(db, role)),
    ];
    return faults.length > 0 ? faults : good(`The role ${role} may read, write and migrate.`);
  },
};

const lacksRight = (role: string, what: string, statement: string): Result =>
  broken(`The role ${role} may not ${what}.`, `As a superuser, run: ${statement}`);

/** Tables of another role, which a migration cannot change; nor can servers create and drop their partitions. */
async function findForeignTables(db: Database, role: string): Promise<Result[]> {
  const rows = await db.query<{ name: string; isUsable: boolean }>(sql`
    select relname as name, has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
      and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete') as is_usable
    from pg_class
    where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'p')
      and not pg_has_role(relowner, 'usage')
      and to_regclass('schema_version') is not null
    order by relname`);
  const [first] = rows.toSorted((a, b) => Number(a.isUsable) - Number(b.isUsable));
  if (!first) return [];
  const text = first.isUsable
    ? `does not own ${rows.length} tables, such as ${first.name}, so it cannot migrate them`
    : `may not read and write ${first.name}`;
  const next = 'As a superuser, run for each table: alter table TABLE owner to ROLE';
  return [(first.isUsable ? warning : broken)(`The role ${role} ${text}.`, next)];
}

export const schemaChecks: DatabaseCheck[] = [postgres, migrations, rights];
