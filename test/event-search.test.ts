import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { createEvent, createUser, eventBody, inDays, type Person } from './factories.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);

const make = (title: string, more: Record<string, unknown> = {}) =>
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
test('search: 400 naming q when it is missing, empty or too long; 400 for pages as in the list', async () => {
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
test('search: words and starts of words in title, address and description, all of them', async () => {
  await make('Accordion afternoon', { description: 'Bandoneon and concertina', ...at('Dulcimer street 5') });
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

test('search: case, accents and letters of other alphabets', async () => {
  await make('Fête de la Crème brûlée');
  await make('Smørrebrød i Ærøskøbing');
  await make('Weißwurst in der Großen Straße');
  await make('ΓΙΟΡΤΗ ΣΤΟΥΣ ΔΡΟΜΟΥΣ');
  await make('Ночь музеев');
  await make('京都で花見の会');
  await make('İstanbul’da çay');
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

test('search: what matches in the title comes first, then in the address, then in the description', async () => {
  const often = Array.from({ length: 60 }, (_, i) => `zeppelin zeppelin${i} hangar`).join(' ');
  await make('Description often', { description: often });
  await make('Description', { description: 'zeppelin hangar' });
  await make('Address', at('Zeppelin hangar'));
  await make('Address and description', { description: often, ...at('Zeppelin hangar') });
  await make('Zeppelin hangar', { startAt: inDays(300), endAt: inDays(301) });
  await make('Zeppelins, hangars', { description: often });
  for (const q of ['zeppelin hangar', 'zepp hang', 'hangar', 'z']) {
    const kinds = (await titles(q)).map((title) => title.split(/[ ,]/)[0]);
    assert.deepEqual(kinds.slice(0, 2).toSorted(), ['Zeppelin', 'Zeppelins'], q);
    assert.deepEqual(kinds.slice(2), ['Address', 'Address', 'Description', 'Description'], q);
  }
  // Whole words before starts of words.
  assert.equal((await titles('zeppelin hangar'))[0], 'Zeppelin hangar');
});

test('search: equals come by start, then by id, on every page the same', async () => {
  const starts = [inDays(9), inDays(8)];
  const made = await Promise.all(
    Array.from({ length: 30 }, (_, i) => make('Kazoo', { startAt: starts[i % 2], endAt: inDays(10) })),
  );
  const wanted = made
    .sort((a, b) => a.startAt.localeCompare(b.startAt) || a.id.localeCompare(b.id))
    .map((event) => event.id);
  const seen: string[] = [];
  for (let page = 1; page <= 5; page++) {
    const { ids, total } = await search('kazoo', `&page=${page}&limit=7`);
    assert.equal(total, 30);
    seen.push(...ids);
  }
  assert.deepEqual(seen, wanted);
  assert.deepEqual(await search('kazoo', '&page=6&limit=7'), { titles: [], ids: [], total: 30 });
  assert.equal((await search('kazoo')).ids.length, 20);
});

test('search: unlisted, private, cancelled and ended events are never found, not by their organizer either', async () => {
  await make('Ukulele public');
  await make('Ukulele unlisted', { visibility: 'unlisted' });
  await make('Ukulele private', { visibility: 'private' });
  await make('Ukulele over', { startAt: inDays(-2), endAt: inDays(-1) });
  await make('Ukulele on now', { startAt: inDays(-2), endAt: inDays(1) });
  const cancelled = await make('Ukulele cancelled');
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, organizer.token, { status: 'cancelled' }), 200);
  for (const person of [undefined, organizer]) {
    const found = await search('ukulele', '', person);
    assert.deepEqual([found.titles.toSorted(), found.total], [['Ukulele on now', 'Ukulele public'], 2]);
  }
});

test('search: personal fields with a token alone; events of people whom the caller blocked are left out', async () => {
  const [caller, other] = await Promise.all([createUser(api), createUser(api)]);
  await createEvent(api, other, { title: 'Theremin by the other' });
  await make('Theremin');
  const { body: anonymous } = await api.get('/v1/events/search?q=theremin');
  assert.ok(anonymous.data.every((event: object) => !('myRsvp' in event) && !('isSaved' in event)));
  const { body: seen } = await api.get('/v1/events/search?q=theremin', caller.token);
  assert.ok(
    seen.data.every(
      (event: { myRsvp: null; isSaved: false }) => event.myRsvp === null && event.isSaved === false,
    ),
  );
  expectStatus(await api.post(`/v1/users/${other.id}/block`, caller.token), 200);
  assert.deepEqual((await search('theremin', '', caller)).total, 1);
  assert.deepEqual((await search('theremin', '', other)).total, 2);
});

test('search: 200 and nothing found for a text without words, whatever it is made of', async () => {
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

test('search: query syntax, quotes and wildcards are no more than what stands between words', async () => {
  await make("O'Neill's Glockenspiel", { description: 'a \\ b % _ : * <script>' });
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

test('search: 200 for any text at all, and an event is found by any word of its title', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), async (q) => {
      const { status } = await api.get(`/v1/events/search?q=${encodeURIComponent(q)}`);
      assert.equal(status, q.trim() === '' ? 400 : 200, JSON.stringify(q));
    }),
    { numRuns: 150 },
  );
  const title = 'Ένα two, trois… четыре 五 ستة 일곱 แปด';
  const { id } = expectStatus(await api.post('/v1/events', organizer.token, eventBody({ title })), 201).body;
  for (const word of ['ένα', 'two', 'trois', 'четыре', '五', 'ستة', '일곱', 'แปด']) {
    assert.ok((await search(word)).ids.includes(id), word);
  }
});
