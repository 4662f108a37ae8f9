/** A newer version of Potluck: a copy of this one with a further migration, for tests of what migrations rely on. */
import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');

/**
 * Creates the directory with the copy. The migration adds columns to two tables, an index and the table `further`, which
 * is declared in the list of distributed tables.
 */
export async function createNewerVersion(home: string): Promise<void> {
  await mkdir(home);
  const read = ['web/src/lib/language', 'web/messages/people.json'];
  for (const name of ['packages', 'src', 'bin', 'package.json', ...read])
    await cp(path.join(root, name), path.join(home, name), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(home, 'node_modules'));
  const migrations = path.join(home, 'src', 'schema', 'migrations');
  const lastMigration = (await readdir(migrations)).sort().at(-1) ?? '';
  const number = String(Number.parseInt(lastMigration, 10) + 1).padStart(4, '0');
  await writeFile(
    path.join(migrations, `${number}.do.further.sql`),
    `alter table events add column further text not null default '';
    alter table rsvps add column further integer;
    create table further (event_id uuid not null, n integer not null, primary key (event_id, n));
    create index further_n on further (event_id, n);`,
  );
  const distribution = path.join(home, 'src', 'schema', 'distribution.ts');
  const declared = await readFile(distribution, 'utf8');
  const changed = declared.replace(
    /( +)events: \{ key: 'id', (.+)\n/,
    "$&$1further: { key: 'event_id', $2\n",
  );
  assert.notEqual(changed, declared);
  await writeFile(distribution, changed);
}
