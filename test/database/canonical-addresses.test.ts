/** The migration that gives the addresses of accounts their one form. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { openConnection, transactionOn } from '#pg';
import { migrate, migrateIn } from '../../src/schema/migrate.ts';
import { openSql } from '../support/sql-tag.ts';
import { createEmptyDatabase } from '../support/test-database.ts';

test('migration: addresses of accounts get their one form; of two spellings of a mailbox, the later one loses its key', async () => {
  const target = await createEmptyDatabase();
  const connection = await openConnection(target, 'migration');
  await transactionOn(connection, () => migrateIn(connection, 3));
  await connection.end();
  const sql = await openSql(target, 'tests');
  const issuer = 'https://id.example.org/ ü@example';
  for (const [n, email] of ['Mara@Example.org', 'noor@bücher.example', 'Noor@ｂücher.example'].entries()) {
    const id = `00000000-0000-7000-8000-00000000000${n}`;
    await sql`
      insert into users (id, email, oidc, name, username, bio, city, is_private, role, search, created_at)
      values (${id}, ${email}, ${n === 0 ? issuer : null}, 'x', ${`x${n}`}, '', '', false, 'user', '', now())`;
    const key = email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    await sql`insert into contacts values (${key}, ${id})`;
    if (n === 0) await sql`insert into contacts values (${issuer}, ${id})`;
  }
  assert.ok((await migrate(target)).length > 0);
  const users = await sql<{ email: string }[]>`select email from users order by id`;
  const noor = 'noor@xn--bcher-kva.example';
  assert.deepEqual(
    users.map(({ email }) => email),
    ['mara@example.org', noor, noor],
  );
  const contacts = await sql<{ contact: string; n: string }[]>`
    select contact, right(user_id::text, 1) as n from contacts order by contact`;
  assert.deepEqual(
    contacts.map(({ contact, n }) => `${n} ${contact}`),
    [`0 ${issuer}`, '0 mara@example.org', `1 ${noor}`],
  );
  await sql.end();
});
