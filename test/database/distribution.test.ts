import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { newId } from '#base';
import { openConnection, type Queryable, type Statement, sql as statement } from '#pg';
import { distribute, distributeCommand } from '../../src/cli/distribute.ts';
import { readConfig } from '../../src/config/config.ts';
import { readBookings } from '../../src/modules/attendance/bookings/repo.ts';
import { deleteRsvps } from '../../src/modules/attendance/rsvps/repo.ts';
import { listViewerStates, listViewerStatesOfRecords } from '../../src/modules/events/viewer-states.ts';
import { listMyClaims } from '../../src/modules/items/repo.ts';
import { coordinatorTables, distributedTables } from '../../src/schema/distribution.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { command, commandOf } from '../support/command.ts';
import { createNewerVersion } from '../support/newer-version.ts';
import { openSql, type SqlConnection } from '../support/sql-tag.ts';
import {
  cloneDatabase,
  createCitusDatabase,
  createEmptyDatabase,
  skipsCitus,
  urlOf,
} from '../support/test-database.ts';

const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-distribution-'));
after(() => rm(directory, { recursive: true, force: true }));

/** The distribution column of each distributed table. */
const columns: Record<string, string> = Object.fromEntries(
  distributedTables.flatMap((group) => Object.entries(group).map(([name, { key }]) => [name, key])),
);

test('distribution: each table is declared once, and the groups have keys of one type', async () => {
  const sql = await openSql(await cloneDatabase(), 'tests');
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by 1`;
  const declared = [...distributedTables, coordinatorTables].flatMap((group) => Object.keys(group));
  assert.deepEqual(
    declared.toSorted(),
    tables.map(({ name }) => name),
    'declare each table in src/schema/distribution.ts',
  );
  for (const group of distributedTables) {
    const types = await sql<{ type: string }[]>`
      select distinct format_type(a.atttypid, a.atttypmod) as type from pg_attribute a
      join unnest(${Object.keys(group)}::text[], ${Object.values(group).map(({ key }) => key)}::text[]) g (name, key)
        on a.attrelid = g.name::regclass and a.attname = g.key`;
    assert.equal(types.length, 1, Object.keys(group).join());
  }
  await sql.end();
});

test('distribution: each unique index and each foreign key of a distributed table has its distribution column', async () => {
  const sql = await openSql(await cloneDatabase(), 'tests');
  const indexes = await sql<{ name: string; table: string; columns: string[] }[]>`
    select i.indexrelid::regclass::text as name, c.relname as table,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum = any(i.indkey[:i.indnkeyatts - 1])) as columns
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and i.indisunique`;
  for (const index of indexes) {
    const key = columns[index.table];
    assert.ok(key === undefined || index.columns.includes(key), `${index.name} lacks ${key}`);
  }
  const references = await sql<{ name: string; from: string; to: string; pairs: string[] }[]>`
    select k.conname as name, c.relname as from, f.relname as to,
      array(select a.attname || ' ' || b.attname from unnest(k.conkey, k.confkey) u (own, other)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = u.own
        join pg_attribute b on b.attrelid = f.oid and b.attnum = u.other) as pairs
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
    where k.contype = 'f' and k.conparentid = 0 and c.relnamespace = 'public'::regnamespace`;
  for (const { name, from, to, pairs } of references)
    assert.ok(pairs.includes(`${columns[from]} ${columns[to]}`), `${name} leaves the node of ${from}`);
  await sql.end();
});

test('distribute: refuses the embedded database and a database without the extension', async () => {
  await assert.rejects(distributeCommand(readConfig({})), /^Error: DATABASE_URL must name/);
  const { code, stderr } = await command(await createEmptyDatabase(), 'distribute');
  assert.equal(code, 1);
  assert.match(stderr, /^The database at DATABASE_URL has no extension "citus": .*\n$/);
});

const onCitus = { skip: skipsCitus() };

test(
  'distribute: refuses a worker, a cluster without workers, another version and a database in use',
  onCitus,
  async () => {
    const target = await createCitusDatabase();
    await assert.rejects(distribute(target), /The database is at version 0, .*migrate" first\.$/);
    await migrate(target);
    const sql = await openSql(target, 'tests');
    const [worker] = await sql`
    select nodename || ':' || nodeport as address from pg_dist_node where groupid <> 0 limit 1`;
    await assert.rejects(distribute(urlOf(target, { address: worker?.address })), /is on a worker node/);

    const server = await openConnection(target, '');
    await server.query(statement`set application_name = 'potluck'`);
    await assert.rejects(distribute(target), /Servers use the database/);
    await server.end();

    await sql`insert into schema_version (version, name) values (9999, 'from the future')`;
    await assert.rejects(distribute(target), /The database is at version 9999, .* use the newer Potluck\.$/);
    await sql`delete from schema_version where version = 9999`;
    await sql`select citus_remove_node(nodename, nodeport) from pg_dist_node where groupid <> 0`;
    await assert.rejects(distribute(target), /no active worker nodes/);
    assert.deepEqual(await distributedColumns(sql), {});
    await sql.end();
  },
);

test('distribute: moves all rows to the nodes; a second run changes nothing', onCitus, async () => {
  const target = await createCitusDatabase();
  await migrate(target);
  const sql = await openSql(target, 'tests');
  await sql`
    insert into users (id, phone, name, username, bio, city, is_private, role, search, created_at)
    select gen_random_uuid(), '+1202555' || n, 'N', 'n' || n, '', '', false, 'user', ' n', now()
    from generate_series(1000, 1099) n`;
  await sql`insert into user_counters select id, 0, 0, 0 from users`;
  await sql`insert into contacts select phone, id from users`;
  const { stdout, stderr } = await command(target, 'distribute');
  const count = Object.keys(columns).length;
  assert.deepEqual([stdout, stderr], [`Distributed ${count} of ${count} tables over 2 nodes.\n`, '']);
  assert.deepEqual(await distributedColumns(sql), columns);
  for (const table of ['users', 'user_counters', 'contacts']) {
    const [row] = await sql`
      select (select count(*)::int from users) as rows, pg_relation_size(${table}) as size`;
    assert.deepEqual(row, { rows: 100, size: '0' }, `${table}: the coordinator still has a copy`);
  }
  assert.match(
    (await command(target, 'distribute')).stdout,
    new RegExp(`^All ${count} tables are distributed already`),
  );
  assert.equal((await command(target, 'migrate')).code, 0);
  await sql.end();
});

test(
  'migrate: changes distributed tables, and distributes those that later migrations create',
  onCitus,
  async () => {
    const target = await cloneDatabase();
    const home = path.join(directory, 'newer');
    await createNewerVersion(home);
    const { code, stderr } = await commandOf(home, target, 'migrate');
    assert.deepEqual([code, stderr], [0, '']);
    const sql = await openSql(target, 'tests');
    assert.deepEqual(await distributedColumns(sql), { ...columns, further: 'event_id' });
    assert.deepEqual([...(await sql`select further from events`)], []);
    await sql.end();
  },
);

test(
  'distribution: a statement about the rows of given keys goes only to the nodes of the keys',
  onCitus,
  async () => {
    const sql = await openSql(await cloneDatabase(), 'tests');
    const key = { eventId: newId(), userId: newId() };
    const countTasks = async (explained: Statement): Promise<string[]> => {
      const plan = await sql.query<Record<'QUERY PLAN', string>>(statement`explain ${explained}`);
      return plan.map((row) => row['QUERY PLAN'].trim()).filter((line) => line.startsWith('Task Count'));
    };
    const explaining = (tasks: string[]): Queryable => ({
      query: async (explained) => {
        tasks.push(...(await countTasks(explained)));
        return [];
      },
      execute: async () => 0,
    });
    for (const read of [listViewerStates, listViewerStatesOfRecords, listMyClaims]) {
      const tasks: string[] = [];
      await read(explaining(tasks), [key]);
      assert.deepEqual(tasks, ['Task Count: 1'], read.name);
    }
    assert.deepEqual(await countTasks(readBookings([key])), ['Task Count: 1']);
    assert.deepEqual(await countTasks(deleteRsvps([key])), ['Task Count: 1']);
    await sql.end();
  },
);

async function distributedColumns(sql: SqlConnection): Promise<Record<string, string>> {
  const tables = await sql<{ name: string; key: string }[]>`
    select logicalrelid::text as name, column_to_column_name(logicalrelid, partkey) as key
    from pg_dist_partition join pg_class c on c.oid = logicalrelid
    where partmethod = 'h' and not c.relispartition`;
  return Object.fromEntries(tables.map(({ name, key }) => [name, key]));
}
