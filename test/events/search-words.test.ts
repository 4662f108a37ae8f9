/** The words by which searches find an event: a change computes those of the texts that differ. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { startBothModes } from '../support/both-modes.ts';
import { createEvent, createUser, eventBody } from '../support/factories.ts';
import { expectStatus } from '../support/setup.ts';

const api = await startBothModes();
const organizer = await createUser(api);

const change = async (id: string, body: object) =>
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, body), 200);

/** The ids of the events that a search finds, the most relevant first. */
async function search(q: string): Promise<string[]> {
  const { body } = expectStatus(await api.get(`/v1/events/search?q=${encodeURIComponent(q)}`), 200);
  return body.data.map(({ id }: { id: string }) => id);
}

const location = (address: string) => ({ ...eventBody().location, address });

/** Texts that are normalized during a request. Only texts with letters outside ASCII are. */
async function normalizedDuring(t: test.TestContext, send: () => Promise<unknown>): Promise<string[]> {
  const { mock } = t.mock.method(String.prototype, 'normalize');
  await send();
  const texts = mock.calls.map((each) => String(each.this));
  mock.restore();
  return texts;
}

test('event: PATCH computes the search words of changed texts, and of no others', async (t) => {
  const { id } = await createEvent(api, organizer, {
    title: 'Äpplen',
    description: 'Kom och plocka äpplen på ängen',
    location: location('Ängsvägen 5, Mölndal'),
  });
  const computedBy = async (body: object) =>
    (await normalizedDuring(t, () => change(id, body))).filter((text) => /[äö]/i.test(text.normalize('NFC')));
  assert.deepEqual(await computedBy({ price: 50 }), []);
  assert.deepEqual(await computedBy({ title: 'Äpplen', capacity: 5 }), []);
  const texts = await computedBy({ title: 'Päron' });
  assert.ok(texts.length > 0 && texts.every((text) => text.normalize('NFC') === 'päron'), `${texts}`);
});

test('search: an event is found by the words of its texts after each change of one of them', async () => {
  const { id } = await createEvent(api, organizer, {
    title: 'Quartz walk',
    description: 'Bring quartz and feldspar',
    location: location('Basalt street 5, Oslo'),
  });
  const found = async () => {
    const words = ['quartz', 'walk', 'feldspar', 'basalt', 'granite', 'gneiss'];
    const results = await Promise.all(
      words.map(async (word) => ((await search(word)).includes(id) ? [word] : [])),
    );
    return results.flat().join(' ');
  };
  assert.equal(await found(), 'quartz walk feldspar basalt');
  await change(id, { title: 'Granite walk' });
  assert.equal(await found(), 'quartz walk feldspar basalt granite');
  await change(id, { description: '' });
  assert.equal(await found(), 'walk basalt granite');
  await change(id, { location: location('Gneiss street 5, Oslo'), title: 'Gneiss' });
  assert.equal(await found(), 'gneiss');
  await change(id, { title: 'Walk' });
  assert.equal(await found(), 'walk gneiss');
});

test('search: an event of the first release keeps the words of its texts after changes of others', async () => {
  const titled = await createEvent(api, organizer, { title: 'Onyx opal', location: location('Opal street') });
  const wordless = await createEvent(api, organizer, { title: '🎉', location: location('Opal street') });
  // That release numbered the words of an event from 1 on.
  await api.sql`update events set search = ${"'onyx':1A 'opal':2A,3B 'street':4B"}::tsvector where id = ${titled.id}`;
  await api.sql`update events set search = ${"'opal':1B 'street':2B"}::tsvector where id = ${wordless.id}`;
  await change(titled.id, { location: location('Square of the Opal') });
  await change(titled.id, { title: 'Onyx' });
  await change(wordless.id, { title: 'Opal' });
  await change(wordless.id, { title: 'Onyx' });
  assert.deepEqual(await search('opal'), [titled.id, wordless.id]);
  await change(titled.id, { location: location('Square') });
  assert.deepEqual(await search('opal'), [wordless.id]);
  assert.deepEqual(await search('onyx'), [titled.id, wordless.id]);
});

test('search: words of the title come before words of the address and the description, also after a change', async () => {
  const title = await createEvent(api, organizer, { title: 'Beryl' });
  const address = await createEvent(api, organizer, { location: location('Beryl street') });
  const description = await createEvent(api, organizer, { description: 'Beryl' });
  const events = [title, address, description].map(({ id }) => id);
  assert.deepEqual(await search('beryl'), events);
  await change(title.id, { title: 'Topaz', description: 'Beryl' });
  await change(description.id, { title: 'Beryl', description: '' });
  assert.deepEqual((await search('beryl')).slice(0, 2), [description.id, address.id]);
});
