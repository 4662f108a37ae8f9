/** How many accounts a search for people reads, whatever is searched for. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { userSearchText } from '../../src/modules/people/search/patterns.ts';
import { countReadRows, openCountingDatabase } from '../support/counting-database.ts';
import { createUser } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const counting = openCountingDatabase(api.target);
const counted = await api.startAnother({ sql: counting.sql });
const me = await createUser(api, { name: 'Caller', username: 'zz_caller' });

const people = 3_000;
const names = Array.from({ length: people }, (_, i) => `Guest ${i}`);
const usernames = names.map((_, i) => `guest_${i.toString(36).padStart(6, '0')}`);
const others = Array.from({ length: people }, (_, i) => `Наталья ${String.fromCodePoint(0xac00 + i)}연`);
const insert = async (all: string[], prefix: string) => {
  const texts = all.map((name, i) => userSearchText(name, `${prefix}${usernames[i]}`));
  await api.sql`
    insert into users (id, phone, name, username, bio, city, is_private, role, search, created_at)
    select gen_random_uuid(), '', name, ${prefix} || username, '', '', false, 'user', search, now()
    from unnest(${all}::text[], ${usernames}::text[], ${texts}::text[]) t (name, username, search)`;
};
await insert(names, '');
await insert(others, 'zz_');
await createUser(api, { name: 'Guest Guestling', username: 'zz_guestling' });
await api.sql.text('vacuum analyze users');

/** The people whom a search finds, and the accounts that its statements read. */
async function search(q: string) {
  let found: string[] = [];
  const statements = await counting.count(async () => {
    const path = `/v1/users/search?q=${encodeURIComponent(q)}`;
    const { body } = expectStatus(await counted.get(path, me.token), 200);
    found = body.data.map((person: { name: string }) => person.name);
  });
  let read = 0;
  for (const { text, statement } of statements)
    if (text.includes('search like') || text.includes('k.term'))
      read += await countReadRows(api.sql, statement, 'users');
  return { found, read };
}

test('search: a term that nobody or anybody has reads at most the accounts that a search compares', async () => {
  // Of the phrases, all people have the trigrams, and at most one has the phrase.
  const phrases = ['guest guest', 'est gue', 'st guest', 'guest g', 'est_gue'];
  const parts = [
    '!!!',
    '-*-',
    'gu',
    'guest',
    'est',
    'ues',
    '.g',
    'g g',
    "g'",
    'uest_0',
    'на',
    'наталья',
    'таль',
  ];
  for (const q of [...phrases, ...parts]) {
    const { read } = await search(q);
    assert.ok(read <= 1_100, `${q}: ${read} accounts`);
  }
  assert.deepEqual(await search('!!!'), { found: [], read: 0 });
});

test('search: a rare term beyond ASCII reads few accounts', async () => {
  const { found, read } = await search('가연');
  assert.deepEqual(found, ['Наталья 가연']);
  assert.ok(read < 20, `${read} accounts`);
});
