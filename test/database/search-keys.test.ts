/** The migration that gives the search texts of accounts the form that later servers search in. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { openConnection, transactionOn } from '#pg';
import { userSearchText } from '../../src/modules/people/search/patterns.ts';
import { migrate, migrateIn } from '../../src/schema/migrate.ts';
import { openSql } from '../support/sql-tag.ts';
import { createEmptyDatabase } from '../support/test-database.ts';

test('migration: search texts of names with letters beyond ASCII are as those of new names', async () => {
  const target = await createEmptyDatabase();
  const connection = await openConnection(target, 'migration');
  await transactionOn(connection, () => migrateIn(connection, 7));
  await connection.end();
  const sql = await openSql(target, 'tests');
  const names = { 김서연: ' 김서연 nick', 'D’Angelo 🌻': ' d’angelo 🌻 d angelo nick', Plain: ' plain nick' };
  for (const [n, [name, search]] of Object.entries(names).entries())
    await sql`
      insert into users (id, phone, name, username, bio, city, is_private, role, search, created_at)
      values (${`00000000-0000-7000-8000-00000000000${n}`}, '', ${name}, 'nick', '', '', false, 'user', ${search}, now())`;
  assert.ok((await migrate(target)).length > 0);
  const rows = await sql<{ name: string; search: string }[]>`select name, search from users order by id`;
  assert.deepEqual(
    rows.map(({ search }) => search),
    rows.map(({ name }) => userSearchText(name, 'nick')),
  );
  await sql.end();
});
