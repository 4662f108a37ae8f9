/** The settings of PostgreSQL, and its clock. */
import { listMissingSettings, maxConnectionsOf, one, sql } from '#pg';
import { broken, good, warning } from '../../doctor/finding.ts';
import { findClockDifference } from '../../server/clock-check.ts';
import type { DatabaseCheck } from './database-schema.ts';

const connections: DatabaseCheck = {
  name: 'connections',
  async run(db, { servers }) {
    const needed = maxConnectionsOf(servers);
    const { limit, others } = one(
      await db.query<{ limit: number; others: number }>(sql`
        select least(
            current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
              - coalesce(current_setting('reserved_connections', true), '0')::int,
            nullif((select rolconnlimit from pg_roles where rolname = current_user), -1),
            nullif((select datconnlimit from pg_database where datname = current_database()), -1)) as limit,
          (select count(*)::int from pg_stat_activity
            where backend_type = 'client backend' and application_name not like 'potluck%') as others`),
    );
    const text = `A server opens up to ${needed} connections; the database allows ${limit}, and other programs have ${others}.`;
    if (limit - others >= needed) return good(text);
    return warning(text, 'Raise max_connections of PostgreSQL, or the limit of the role or the database.');
  },
};

const session: DatabaseCheck = {
  name: 'session',
  async run(db) {
    const missing = await listMissingSettings(db);
    if (missing.length === 0) return good('The settings of the server are in effect on its connections.');
    const statements = missing.map(({ name, value }) => `alter role ROLE set ${name} = '${value}'`);
    return warning(
      `A pooler, such as PgBouncer, drops settings: ${missing.map(({ name }) => name).join(', ')}.`,
      `As a superuser, run: ${statements.join('; ')}`,
    );
  },
};

/** What a crash of the machine destroys without each of the settings. */
const losses = {
  fsync: 'the database',
  full_page_writes: 'pages of the database',
  synchronous_commit: 'the last writes, which were acknowledged',
};

const durability: DatabaseCheck = {
  name: 'durability',
  async run(db) {
    const rows = await db.query<{ name: keyof typeof losses }>(sql`
      select name from pg_settings where name = any(${Object.keys(losses)}::text[]) and setting = 'off' order by name`);
    if (rows.length === 0) return good('Acknowledged writes survive a crash of the machine.');
    return rows.map(({ name }) =>
      warning(
        `${name} is off: a crash of the machine can destroy ${losses[name]}.`,
        `Remove ${name} from the settings of PostgreSQL, the database and the role: its default is on.`,
      ),
    );
  },
};

const clock: DatabaseCheck = {
  name: 'clock',
  async run(db) {
    const difference = await findClockDifference(db, () => new Date());
    if (!difference) return good('The clocks of this machine and of the database differ by less than 5 s.');
    const [what = '', next = ''] = difference.text.split('; ');
    const text = `${what[0]?.toUpperCase()}${what.slice(1)}.`;
    return difference.isTooLarge ? broken(`${text} No server starts.`, next) : warning(text, next);
  },
};

export const settingChecks = [connections, session, durability, clock];
