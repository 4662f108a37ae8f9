/** GET /v1/events/suggest in both modes: places, categories, events and corrections. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { startBothModes, untilIndexed } from '../support/both-modes.ts';
import { createEvent, createUser, inDays, type Person } from '../support/factories.ts';
import { expectProblem, expectStatus, type TestApp } from '../support/setup.ts';

const api = await startBothModes();
const organizer = await createUser(api);

const create = (title: string, more: Record<string, unknown> = {}) =>
  createEvent(api, organizer, { title, ...more });

type Suggestions = {
  places: { name: string; country: string; lat: number; lng: number; eventsCount: number }[];
  categories: { slug: string; name: string; emoji: string }[];
  events: { id: string; title: string; startAt: string; location: { address: string } }[];
  corrections: { q: string; eventsCount: number }[];
};
async function suggest(q: string, person?: Person, server: Pick<TestApp, 'get'> = api): Promise<Suggestions> {
  const { body } = expectStatus(
    await server.get(`/v1/events/suggest?q=${encodeURIComponent(q)}`, person?.token),
    200,
  );
  assert.equal(body.attribution, 'GeoNames (https://www.geonames.org), CC BY 4.0');
  return body.data;
}
const nothing = { places: [], categories: [], events: [], corrections: [] };

// spec: 4.10 GET /v1/events/suggest: places, categories, events and corrections for one field
test('suggest: 400 naming q when it is missing, empty, too long or of more than ten words', async () => {
  const words = 'one two three four five six seven eight nine ten';
  for (const query of ['', '?q=', '?q=%20', `?q=${'x'.repeat(101)}`, '?q=a%00b', `?q=${words}%20eleven`]) {
    const { body } = expectProblem(await api.get(`/v1/events/suggest${query}`), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['q'],
      query,
    );
  }
  expectProblem(await api.get('/v1/events/suggest?q=a&limit=5'), 400, 'invalid_request');
  expectStatus(await api.get(`/v1/events/suggest?q=${words} ten`), 200);
  for (const q of ['!', '🎉', "' & |", '%']) assert.deepEqual(await suggest(q), nothing, q);
});

// spec: 4.10 GET /v1/events/suggest: places, categories, events and corrections for one field
test('suggest: towns by each of their names, with the number of events of the list around them', async () => {
  const location = { address: 'Haga Nygata 1', lat: 57.7, lng: 11.96 };
  await create('At the canal', { location });
  await create('At the canal, over', { location, startAt: inDays(-2), endAt: inDays(-1) });
  for (const q of ['gothenburg', 'Göteborg', 'goteborg', 'Gothenb', 'غوتنبرغ']) {
    const { places, corrections } = await suggest(q);
    const [{ name, country, lat, lng, eventsCount } = assert.fail(q)] = places;
    assert.deepEqual([name, country, eventsCount], ['Gothenburg', 'SE', 1], q);
    assert.deepEqual(corrections, [], q);
    const { body } = await api.get(`/v1/events?lat=${lat}&lng=${lng}`);
    assert.equal(body.meta.total, eventsCount);
  }
  assert.equal((await suggest('köpenhamn')).places[0]?.name, 'Copenhagen');
  assert.ok((await suggest('san')).places.length === 3);
});

// spec: 4.10 GET /v1/events/suggest: places, categories, events and corrections for one field
test('suggest: categories by the starts of words of their slug or name', async () => {
  const slugs = async (q: string) => (await suggest(q)).categories.map(({ slug }) => slug);
  assert.deepEqual((await suggest('dri')).categories, [{ slug: 'food', name: 'Food & drink', emoji: '🍲' }]);
  for (const [q, expected] of [
    ['TECHNO', ['tech']],
    ['tech', ['tech']],
    ['drink food', ['food']],
    ['food music', []],
    ['f', ['food', 'film', 'family']],
    ['rink', []],
  ] as const)
    assert.deepEqual(await slugs(q), expected, q);
});

// spec: 4.10 GET /v1/events/suggest: places, categories, events and corrections for one field
test('suggest: the first five events that have all words in the title; not by address or description alone', async () => {
  const created = [];
  for (let day = 1; day <= 6; day++)
    created.push(await create(`Marimba evening ${day}`, { startAt: inDays(day), endAt: inDays(day + 1) }));
  await create('Quiet evening', { description: 'A marimba' });
  const { events, corrections } = await suggest('eve MARIM');
  assert.deepEqual(
    events.map(({ id }) => id),
    created.slice(0, 5).map(({ id }) => id),
  );
  const [{ title, startAt, location } = assert.fail()] = events;
  assert.deepEqual(
    { title, startAt, location },
    {
      title: 'Marimba evening 1',
      startAt: created[0]?.startAt,
      location: created[0]?.location,
    },
  );
  assert.deepEqual(corrections, []);
  assert.deepEqual((await suggest('quiet marimba')).events, []);
  assert.deepEqual((await suggest('quiet marimba')).corrections, []);
});

// spec: 4.10 GET /v1/events/suggest: places, categories, events and corrections for one field
test('suggest: words that find nothing are corrected, with the number of events that the corrected text finds', async () => {
  for (let i = 0; i < 3; i++) await create(`Sourdough workshop ${i}`);
  await create('Sourdoughs of the world');
  await create('Sourness', { description: 'Kombucha and vinegar' });
  const corrections = async (q: string) => (await suggest(q)).corrections;
  assert.deepEqual(await corrections('sourdouh'), [
    { q: 'sourdough', eventsCount: 4 },
    { q: 'sourdoughs', eventsCount: 1 },
  ]);
  assert.deepEqual(await corrections('Sourdouhg'), [
    { q: 'sourdough', eventsCount: 4 },
    { q: 'sourdoughs', eventsCount: 1 },
  ]);
  assert.deepEqual(await corrections('workshpo sourdogh'), [{ q: 'workshop sourdough', eventsCount: 3 }]);
  assert.deepEqual(await corrections('workshop sourdogh'), [{ q: 'workshop sourdough', eventsCount: 3 }]);
  // Three edits; one edit of a word of four letters that needs two; a correction that finds nothing with the others.
  for (const q of ['sourdu', 'sourdxxxh', 'kombucha sourdouh', 'sourdough kombucha'])
    assert.deepEqual(await corrections(q), [], q);
});

test('suggest: words of three and four letters are corrected by one edit, shorter ones not', async () => {
  await create('Jazz');
  await create('Xyz');
  const corrections = async (q: string) => (await suggest(q)).corrections.map(({ q }) => q);
  for (const q of ['jaz', 'jaxx', 'ja', 'xq', 'jayy']) assert.ok(!(await corrections(q)).includes('jazz'), q);
  for (const q of ['jaxz', 'jazx', 'jzz']) assert.deepEqual(await corrections(q), ['jazz'], q);
  assert.deepEqual(await corrections('xyq'), ['xyz']);
});

// spec: 4.10 GET /v1/events/suggest: places, categories, events and corrections for one field
test('suggest: only events that lists show: not drafts, hidden, cancelled, ended, or of people whom the caller blocked', async () => {
  const other = await createUser(api);
  const caller = await createUser(api);
  const location = { address: 'Stortorget', lat: -54.8, lng: -68.3 };
  const titles = 'vuvuzela';
  for (const more of [
    { visibility: 'unlisted' },
    { visibility: 'private' },
    { startAt: inDays(-2), endAt: inDays(-1) },
  ])
    await create('Vuvuzela', { ...more, location });
  const cancelled = await create('Vuvuzela', { location });
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, organizer.token, { status: 'cancelled' }), 200);
  const isEmpty = async (person?: Person) => {
    for (const q of [titles, 'vuvuzelx']) {
      const { events, corrections } = await suggest(q, person);
      assert.deepEqual([events, corrections], [[], []], q);
    }
    assert.deepEqual((await suggest('ushuaia', person)).places[0]?.eventsCount, 0);
  };
  await isEmpty();
  await isEmpty(organizer);
  await createEvent(api, other, { title: 'Vuvuzela choir', location });
  expectStatus(await api.post(`/v1/users/${other.id}/block`, caller.token), 200);
  await isEmpty(caller);
  for (const person of [undefined, other]) {
    assert.deepEqual(
      (await suggest('vuvu', person)).events.map(({ title }) => title),
      ['Vuvuzela choir'],
    );
    assert.deepEqual((await suggest('vuvuzelx', person)).corrections, [{ q: 'vuvuzela', eventsCount: 1 }]);
    assert.equal((await suggest('ushuaia', person)).places[0]?.eventsCount, 1);
  }
});

test('suggest: a write on another server is in the next suggestions', async () => {
  const reader = await startBothModes(api);
  const both = async (q: string) => {
    const { events, corrections } = await suggest(q, undefined, reader);
    return [events.map(({ title }) => title), corrections];
  };
  assert.deepEqual(await both('theremyn'), [[], []]);
  const { id } = await create('Theremin', {});
  assert.deepEqual(await both('theremyn'), [[], [{ q: 'theremin', eventsCount: 1 }]]);
  assert.deepEqual(await both('ther'), [['Theremin'], []]);
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, { title: 'Thermos' }), 200);
  assert.deepEqual(await both('theremyn'), [[], []]);
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, { title: 'Theremin' }), 200);
  expectStatus(await api.delete(`/v1/events/${id}`, organizer.token), 200);
  assert.deepEqual(await both('theremyn'), [[], []]);
});

test('suggest: from the index, words with another first half too; in SQL mode only those with the same', async () => {
  const memory = await api.startAnother({ env: {} });
  const sql = await api.startAnother({ env: { DISCOVERY: 'sql' } });
  await create('Accordion');
  await untilIndexed(memory);
  const corrections = async (q: string, server: TestApp) => (await suggest(q, undefined, server)).corrections;
  assert.deepEqual(await corrections('acordion', memory), [{ q: 'accordion', eventsCount: 1 }]);
  assert.deepEqual(await corrections('cacordion', memory), [{ q: 'accordion', eventsCount: 1 }]);
  assert.deepEqual(await corrections('acordion', sql), []);
  assert.deepEqual(await corrections('accordoin', sql), [{ q: 'accordion', eventsCount: 1 }]);
});
