import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import fc from 'fast-check';
import { often } from '../support/all-cases.ts';
import { anyVisibleText } from '../support/any-text.ts';
import { startBothModes } from '../support/both-modes.ts';
import { createEvent, createUser, eventBody, inDays, type Person } from '../support/factories.ts';
import { expectProblem, expectStatus } from '../support/setup.ts';

const api = await startBothModes();
const organizer = await createUser(api);

const create = (title: string, more: Record<string, unknown> = {}) =>
  createEvent(api, organizer, { title, ...more });
const at = (address: string) => ({ location: { address, lat: 1, lng: 1 } });

async function search(
  q: string,
  more = '',
  person?: Person,
): Promise<{ titles: string[]; ids: string[]; total: number }> {
  const { body } = expectStatus(
    await api.get(`/v1/events/search?q=${encodeURIComponent(q)}${more}`, person?.token),
    200,
  );
  return {
    titles: body.data.map((event: { title: string }) => event.title),
    ids: body.data.map((event: { id: string }) => event.id),
    total: body.meta.total,
  };
}
const titles = async (q: string) => (await search(q)).titles;

// spec: 4.10 GET /v1/events/search: `q` required; `page`, `limit`, and the format of GET /v1/events
test('search: 400 naming q when it is missing, empty or too long, and naming invalid page and limit', async () => {
  for (const [query, field] of [
    ['', 'q'],
    ['?q=', 'q'],
    ['?q=%20%09', 'q'],
    [`?q=${'x'.repeat(201)}`, 'q'],
    ['?q=a%00b', 'q'],
    ['?q=x&limit=51', 'limit'],
    ['?q=x&limit=0', 'limit'],
    ['?q=x&page=0', 'page'],
  ] as const) {
    const { body } = expectProblem(await api.get(`/v1/events/search${query}`), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map((error: { path: string }) => error.path),
      [field],
      query,
    );
  }
  expectProblem(await api.get('/v1/events/search?q=a&q=b'), 400, 'invalid_request');
});

// spec: 4.10 GET /v1/events/search: `q` required; `page`, `limit`, and the format of GET /v1/events
test('search: results contain all words or prefixes of q, in title, address or description', async () => {
  await create('Accordion afternoon', {
    description: 'Bandoneon and concertina',
    ...at('Dulcimer street 5'),
  });
  for (const q of [
    'accordion',
    'accor',
    'A',
    'afternoon accordion',
    'bando',
    'dulc 5',
    'accordion concertina dulcimer',
    'ACCORDION, (bandoneon)!',
  ]) {
    assert.deepEqual(await titles(q), ['Accordion afternoon'], q);
  }
  for (const q of ['ccordion', 'accordions', 'accordion violin', 'accordionafternoon', 'concert5']) {
    assert.deepEqual(await titles(q), [], q);
  }
});

test('search: case and accents are ignored, in several alphabets', async () => {
  await create('Fête de la Crème brûlée');
  await create('Smørrebrød i Ærøskøbing');
  await create('Weißwurst in der Großen Straße');
  await create('ΓΙΟΡΤΗ ΣΤΟΥΣ ΔΡΟΜΟΥΣ');
  await create('Ночь музеев');
  await create('京都で花見の会');
  await create('İstanbul’da çay');
  for (const [q, title] of [
    ['creme brulee', 'Fête de la Crème brûlée'],
    ['CRÈME', 'Fête de la Crème brûlée'],
    ['cre\u0300me', 'Fête de la Crème brûlée'],
    ['smorre aeros', 'Smørrebrød i Ærøskøbing'],
    ['SMØRREBRØD', 'Smørrebrød i Ærøskøbing'],
    ['weisswurst grosse strasse', 'Weißwurst in der Großen Straße'],
    ['WEIẞWURST', 'Weißwurst in der Großen Straße'],
    ['δρόμους', 'ΓΙΟΡΤΗ ΣΤΟΥΣ ΔΡΟΜΟΥΣ'],
    ['στουσ', 'ΓΙΟΡΤΗ ΣΤΟΥΣ ΔΡΟΜΟΥΣ'],
    ['МУЗЕ', 'Ночь музеев'],
    ['花見', '京都で花見の会'],
    ['京都', '京都で花見の会'],
    ['istanbul cay', 'İstanbul’da çay'],
  ] as const) {
    assert.deepEqual(await titles(q), [title], q);
  }
});

test('search: title matches come before address matches, address matches before description matches', async () => {
  const often = Array.from({ length: 60 }, (_, i) => `zeppelin zeppelin${i} hangar`).join(' ');
  await create('Description often', { description: often });
  await create('Description', { description: 'zeppelin hangar' });
  await create('Address', at('Zeppelin hangar'));
  await create('Address and description', { description: often, ...at('Zeppelin hangar') });
  await create('Zeppelin hangar', { startAt: inDays(300), endAt: inDays(301) });
  await create('Zeppelins, hangars', { description: often });
  for (const q of ['zeppelin hangar', 'zepp hang', 'hangar', 'z']) {
    const kinds = (await titles(q)).map((title) => title.split(/[ ,]/)[0]);
    assert.deepEqual(kinds.slice(0, 2).toSorted(), ['Zeppelin', 'Zeppelins'], q);
    assert.deepEqual(kinds.slice(2), ['Address', 'Address', 'Description', 'Description'], q);
  }
  // Matches of whole words come before matches of prefixes.
  assert.equal((await titles('zeppelin hangar'))[0], 'Zeppelin hangar');
});

test('search: equal matches are ordered by start and id, on all pages', async () => {
  const starts = [inDays(9), inDays(8)];
  const created = await Promise.all(
    Array.from({ length: 30 }, (_, i) => create('Kazoo', { startAt: starts[i % 2], endAt: inDays(10) })),
  );
  const expected = created
    .sort((a, b) => a.startAt.localeCompare(b.startAt) || a.id.localeCompare(b.id))
    .map((event) => event.id);
  const listedIds: string[] = [];
  for (let page = 1; page <= 5; page++) {
    const { ids, total } = await search('kazoo', `&page=${page}&limit=7`);
    assert.equal(total, 30);
    listedIds.push(...ids);
  }
  assert.deepEqual(listedIds, expected);
  assert.deepEqual(await search('kazoo', '&page=6&limit=7'), { titles: [], ids: [], total: 30 });
  assert.equal((await search('kazoo')).ids.length, 20);
});

test('search: results omit unlisted, private, cancelled and ended events, also for their organizer', async () => {
  await create('Ukulele public');
  await create('Ukulele unlisted', { visibility: 'unlisted' });
  await create('Ukulele private', { visibility: 'private' });
  await create('Ukulele over', { startAt: inDays(-2), endAt: inDays(-1) });
  await create('Ukulele on now', { startAt: inDays(-2), endAt: inDays(1) });
  const cancelled = await create('Ukulele cancelled');
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, organizer.token, { status: 'cancelled' }), 200);
  for (const person of [undefined, organizer]) {
    const results = await search('ukulele', '', person);
    assert.deepEqual([results.titles.toSorted(), results.total], [['Ukulele on now', 'Ukulele public'], 2]);
  }
});

test('search: myRsvp and isSaved only with a token; events of people whom the caller blocked are omitted', async () => {
  const [caller, other] = await Promise.all([createUser(api), createUser(api)]);
  await createEvent(api, other, { title: 'Theremin by the other' });
  await create('Theremin');
  const { body: anonymous } = await api.get('/v1/events/search?q=theremin');
  assert.ok(anonymous.data.every((event: object) => !('myRsvp' in event) && !('isSaved' in event)));
  const { body: listedIds } = await api.get('/v1/events/search?q=theremin', caller.token);
  assert.ok(
    listedIds.data.every(
      (event: { myRsvp: null; isSaved: false }) => event.myRsvp === null && event.isSaved === false,
    ),
  );
  expectStatus(await api.post(`/v1/users/${other.id}/block`, caller.token), 200);
  assert.deepEqual((await search('theremin', '', caller)).total, 1);
  assert.deepEqual((await search('theremin', '', other)).total, 2);
});

test('search: 200 without results for a q without words', async () => {
  for (const q of [
    '&',
    '!',
    "'",
    '"',
    '\\',
    ':*',
    '<->',
    '()',
    '& | !',
    '%',
    '_',
    '❤️',
    '🎉🎉',
    '。、',
    '\u200b',
    '--',
    '€',
  ]) {
    assert.deepEqual(await search(q), { titles: [], ids: [], total: 0 }, q);
  }
});

test('search: query syntax, quotes and wildcards only separate words', async () => {
  await create("O'Neill's Glockenspiel", { description: 'a \\ b % _ : * <script>' });
  for (const q of [
    'glocken & spiel',
    "glockenspiel' or 1=1",
    'glockenspiel | nothing',
    '!glockenspiel nothing',
  ]) {
    assert.deepEqual(await titles(q), [], q);
  }
  for (const q of [
    "o'neill",
    "O'NEILL'S glockenspiel",
    'glockenspiel:*',
    "'glockenspiel'",
    '(glockenspiel',
    'glockenspiel & !',
    'script glockenspiel',
    '🎉 glockenspiel',
  ]) {
    assert.deepEqual(await titles(q), ["O'Neill's Glockenspiel"], q);
  }
});

test('search: 200 for any text, and an event is found by each word of its title', async () => {
  await fc.assert(
    fc.asyncProperty(anyVisibleText({ minLength: 1, maxLength: 60 }), async (q) => {
      const { status } = await api.get(`/v1/events/search?q=${encodeURIComponent(q)}`);
      assert.equal(status, q.trim() === '' ? 400 : 200, JSON.stringify(q));
    }),
    { numRuns: often(150) },
  );
  const title = 'Ένα two, trois… четыре 五 ستة 일곱 แปด';
  const { id } = expectStatus(await api.post('/v1/events', organizer.token, eventBody({ title })), 201).body;
  for (const word of ['ένα', 'two', 'trois', 'четыре', '五', 'ستة', '일곱', 'แปด']) {
    assert.ok((await search(word)).ids.includes(id), word);
  }
});

// spec: 4.9 GET /v1/events: by start, or with `order=relevance` as the search
test('list: order=relevance has the order of the search, and the filters of the list', async () => {
  await create('Zither evening', { startAt: inDays(9), endAt: inDays(9.1), category: 'food' });
  await create('An evening', {
    ...at('Zither Street'),
    startAt: inDays(8),
    endAt: inDays(8.1),
    category: 'food',
  });
  await create('Zither morning', { startAt: inDays(10), endAt: inDays(10.1), category: 'music' });
  const listed = async (query: string): Promise<string[]> => {
    const { body } = expectStatus(await api.get(`/v1/events?q=zither${query}`), 200);
    return body.data.map(({ title }: { title: string }) => title);
  };
  assert.deepEqual(await listed(''), ['An evening', 'Zither evening', 'Zither morning']);
  assert.deepEqual(await listed('&order=start'), await listed(''));
  assert.deepEqual(await listed('&order=relevance'), await titles('zither'));
  assert.deepEqual(await listed('&order=relevance&category=food'), ['Zither evening', 'An evening']);
  const { body } = expectProblem(await api.get('/v1/events?order=price'), 400, 'invalid_request');
  assert.deepEqual(
    body.errors.map(({ path }: { path: string }) => path),
    ['order'],
  );
});

// spec: 4.9 GET /v1/events: an event matches `q` if it has every word of the text
test('search: Korean words are found inside of other words, as Chinese and Japanese words are', async () => {
  const festival = await create('서울여름축제');
  await create('東京ポットラック夏祭り');
  await create('K팝여름밤 파티', at('부산해운대구'));
  for (const q of ['서울', '여름축제', '축제', '제', '서울 축제'])
    assert.deepEqual(await titles(q), ['서울여름축제'], q);
  assert.deepEqual((await titles('여름')).toSorted(), ['K팝여름밤 파티', '서울여름축제']);
  for (const q of ['해운대', '팝여', 'k팝', '여름 해운대'])
    assert.deepEqual(await titles(q), ['K팝여름밤 파티'], q);
  assert.deepEqual(await titles('夏祭り'), ['東京ポットラック夏祭り']);
  assert.deepEqual(await titles('울제'), []);
  expectStatus(await api.patch(`/v1/events/${festival.id}`, organizer.token, { title: '가을맞이' }), 200);
  assert.deepEqual([await titles('축제'), await titles('맞이')], [[], ['가을맞이']]);
});

test('search: the migration of events of earlier releases gives the words that the server stores', async () => {
  const fields = {
    description: '봄나들이 K팝축제 and plain words, 봄나들이봄나들이봄나들이봄나들이',
    ...at('부산해운대 축제'),
  };
  const { id } = await create('서울여름축제 축제', fields);
  const read = async () =>
    (await api.sql`select search::text as words from events where id = ${id}`)[0]?.words;
  const stored = await read();
  await api.sql`
    update events set search =
      $$'축제':16381A,16382B '서울여름축제':16381A '부산해운대':16382B '봄나들이':16383C 'k팝축제':16383C 'and':16383C
      'plain':16383C 'words':16383C '봄나들이봄나들이봄나들이봄나들이':16383C$$::tsvector
    where id = ${id}`;
  const file = new URL(
    '../../src/schema/migrations/0012.do.inner-starts-of-korean-words.sql',
    import.meta.url,
  );
  await api.sql.text(await readFile(file, 'utf8'));
  assert.equal(await read(), stored);
});
