/**
 * Each table has one owner (src/schema/distribution.ts), and only its folder writes it. The test reads the SQL of all source
 * files, so it also sees statements that no test runs, and it knows the file of each part of a statement.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { parseAst } from 'vite';
import { coordinatorTables, distributedTables } from '../../src/schema/distribution.ts';

const cwd = path.join(import.meta.dirname, '..', '..');

const owners = Object.fromEntries(
  [...distributedTables, coordinatorTables].flatMap((group) =>
    Object.entries(group).map(([table, { owner }]) => [table, owner]),
  ),
);

/** Writes of a table by a folder that does not own it: `FOLDER TABLE`, and the reason. `{}`: a table whose name is a value. */
const exceptions: Record<string, string> = {
  // One statement for a batch counts and writes; a second one would cost a round trip for each batch.
  'modules/attendance event_counters': 'RSVPs and bookings are counted in the statement that writes them',
  'modules/items event_counters': 'the numbers of new items are taken in the statement that inserts them',
  // A module cannot import one that is above it.
  'modules/attendance invitations': 'an RSVP answers an invitation in the batch that writes it',
  'modules/events bookings': 'more capacity books the waitlist in the transaction that changes the event',
  'modules/uploads users': 'the account loses its avatar in the transaction that deletes the upload',
  'identity sessions': 'any request may renew the session of a browser',
  // The outbox stores causes, and the module delivers them.
  'modules/notifications notification_causes': 'a cause is deleted in the transaction that delivers it',
  'modules/notifications notification_fan_outs':
    'a fan-out moves on in the transaction that stores its causes',
  'modules/events requests':
    'what is about an event or a series is deleted with it, and a split series has the requests twice',
  'modules/events invitations': 'what is about an event or a series is deleted with it',
  'modules/events announcements': 'what is about an event or a series is deleted with it',
  'modules/notifications announcements': 'a fan-out moves on in the transaction that stores its causes',
  'outbox announcements': 'what an organizer writes about a change is stored with its notice',
  'modules/notifications {}': 'what an organizer has not read is in the rows that count it, of three modules',
  'outbox {}': 'causes and notifications are deleted with their event or account, by the same statements',
  'outbox push_deliveries': 'what an organizer has not read is pushed from the commit on that counts it',
  // Commands that work on a whole database.
  'cli event_counters': 'the demo counts what it has inserted',
  'cli item_stock': 'the demo counts what it has inserted',
  'cli notification_causes':
    'a backup of a development version is converted to the schema of the first release',
  'cli events': 'a backup of a development version is converted to the schema of the first release',
  'cli {}': 'the demo and the restoration write all tables',
  'packages/pg {}': 'maintenance of partitions',
  'schema contacts': 'a migration gives addresses one form',
  'schema users': 'a migration gives addresses one form',
};

type SyntaxNode = {
  type?: string;
  value?: unknown;
  quasis?: { value: { raw: string } }[];
  callee?: { name?: string };
  arguments?: SyntaxNode[];
};

/** The functions of packages/pg/rows.ts that make statements which write the table of their first argument. */
const writers = ['update', 'updateRows', 'deleteRows', 'insertRows'];

/** The texts of a source file: template literals with `{}` in place of each value, strings, and calls of the writers. */
function readTexts(source: string): string[] {
  const texts: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, value, quasis, callee, arguments: args } = node as SyntaxNode;
    if (type === 'CallExpression' && writers.includes(callee?.name ?? ''))
      texts.push(`update ${typeof args?.[0]?.value === 'string' ? args[0].value : '{}'}`);
    if (type === 'TemplateLiteral') texts.push((quasis ?? []).map((part) => part.value.raw).join('{}'));
    if (type === 'Literal' && typeof value === 'string') texts.push(value);
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return texts;
}

const write = /\b(?:insert into|delete from|merge into|truncate|update)\s+(?:only\s+)?([a-z_]+|\{\})/g;

/** The tables that a text writes; `{}` for a table whose name is a value. */
function writtenTables(text: string): string[] {
  const locks = /\bfor (no key )?update\b( of \w+)?|\bdo update set\b/g;
  return [...text.replace(locks, '').matchAll(write)]
    .map(([, table = '']) => table)
    .filter((table) => table in owners || (table === '{}' && /^\s*(with|insert|update|delete)\b/.test(text)));
}

/** The folder of src/ or of src/modules/, or the package. */
function folderOf(file: string): string {
  const [top = '', folder = '', module] = file.split(path.sep);
  if (top === 'packages') return `packages/${folder}`;
  return folder === 'modules' ? `modules/${module}` : folder;
}

const writes = globSync('{src,packages}/**/*.ts', { cwd, exclude: ['**/*.test.ts'] }).flatMap((file) =>
  readTexts(readFileSync(path.join(cwd, file), 'utf8'))
    .flatMap(writtenTables)
    .map((table) => ({ file, folder: folderOf(file), table })),
);

test('owners: only its owner writes a table', () => {
  const foreign = writes.filter(({ folder, table }) => owners[table] !== folder);
  const unknown = foreign.filter(({ folder, table }) => !(`${folder} ${table}` in exceptions));
  assert.deepEqual(unknown, []);
  const used = new Set(foreign.map(({ folder, table }) => `${folder} ${table}`));
  assert.deepEqual(
    Object.keys(exceptions).sort(),
    [...used].sort(),
    'an exception that is not needed any more',
  );
});

test('owners: each owner has a statement that writes its table', () => {
  const written = new Set(
    writes.filter(({ folder, table }) => owners[table] === folder).map(({ table }) => table),
  );
  assert.deepEqual(
    Object.keys(owners).filter((table) => !written.has(table)),
    [],
  );
});

test('owners: a write is recognized in every form', () => {
  for (const [text, tables] of [
    ['insert into users (id) values ({})', ['users']],
    [
      'with gone as (delete from claims c where true returning 1) update item_stock s set claimed = 0',
      ['claims', 'item_stock'],
    ],
    ['update\n      events set hidden = true', ['events']],
    ['select 1 from users for no key update of users', []],
    ['insert into {} select 1', ['{}']],
    ['insert into saves values (1) on conflict (id) do update set id = 1', ['saves']],
    ['an update to users', []],
  ] as const)
    assert.deepEqual(writtenTables(text), tables, text);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template
  const source = "sql`${update('users u', set)} where true; ${update(table)}; ${hash.update('users')}`";
  assert.deepEqual(readTexts(source).flatMap(writtenTables), ['users', '{}']);
});
