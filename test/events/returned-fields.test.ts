/** Fields of a response can be sent back: the request schema accepts them, and nothing changes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { often } from '../support/all-cases.ts';
import { anyVisibleText } from '../support/any-text.ts';
import { createEvent, createItem, createUser, eventBody } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const { token } = organizer;
type Fields = Record<string, unknown>;

type Schema = { $ref?: string; properties?: Record<string, unknown> };
const { body: document } = await api.get('/openapi.json');
const resolve = (schema: Schema): Schema =>
  schema.$ref ? resolve(document.components.schemas[schema.$ref.split('/').pop() as string]) : schema;

/** The fields of a response that the request body of an operation has. The API names categories and templates by slug. */
function known(method: string, path: string, response: Fields): Fields {
  const { schema } = document.paths[path][method].requestBody.content['application/json'];
  const names = Object.keys(resolve(schema).properties ?? {});
  const slugs: Fields = {};
  for (const name of ['category', 'template'])
    if (name in response) slugs[name] = (response[name] as { slug: string }).slug;
  return Object.fromEntries(
    Object.entries({ ...response, ...slugs }).filter(([name]) => names.includes(name)),
  );
}

/**
 * `updatedAt` is the time of the last request that changed the event, also if it changed no value; `affected` is the number of
 * events that a change concerns.
 */
const content = ({ updatedAt, affected, ...rest }: Fields): Fields => rest;

/** Sends the fields of a record to its own PATCH, and expects the same record. */
async function expectUnchanged(path: string, id: string, record: Fields): Promise<void> {
  const fields = known('patch', path, record);
  assert.ok(Object.keys(fields).length > 0, path);
  const { body } = expectStatus(await api.patch(path.replace('{id}', id), token, fields), 200);
  assert.deepEqual(content(body), content(record));
}

const text = anyVisibleText({ minLength: 1, maxLength: 40 }).map(
  (inner) => `x${inner.replace(/[\p{C}\p{Z}]/gu, '-')}`,
);
const url = fc.option(fc.constant('https://example.org/a.png'));

const anyEvent = fc.record(
  {
    title: text,
    description: fc.option(text, { nil: '' }),
    coverUrl: url,
    coverTheme: fc.constantFrom(null, 'moon'),
    coverFocus: fc.constantFrom('center', 'right-top'),
    timezone: fc.constantFrom('europe/oslo', 'UTC', 'US/Pacific'),
    price: fc.constantFrom(0, 12.5, 1_000_000),
    isPriceKnown: fc.constant(true),
    capacity: fc.constantFrom(0, 7),
    visibility: fc.constantFrom('public', 'unlisted', 'private'),
    template: fc.constantFrom('general', 'potluck'),
    enabledModules: fc.subarray(['bringList', 'wishList', 'booking', 'guestRsvp', 'comments']),
    guestListVisibility: fc.constantFrom('organizer', 'guests', 'everyone'),
  },
  { requiredKeys: ['title'] },
);

test('events: PATCH and POST accept every field of the record, and the record stays the same', async () => {
  await fc.assert(
    fc.asyncProperty(anyEvent, async (overrides) => {
      const event = await createEvent(api, organizer, overrides);
      await expectUnchanged('/v1/events/{id}', event.id, event);
      const again = known('post', '/v1/events', event);
      const copy = expectStatus(await api.post('/v1/events', token, again), 201).body;
      assert.deepEqual(known('post', '/v1/events', { ...copy, coverUrl: '' }), { ...again, coverUrl: '' });
      // The generated cover stays generated: its address names the event and follows the category.
      if (!overrides.coverUrl) assert.ok(copy.coverUrl.includes(copy.id));
    }),
    { numRuns: often(40, 8) },
  );
  const event = await createEvent(api, organizer, { category: 'food' });
  const path = `/v1/events/${event.id}`;
  expectStatus(await api.patch(path, token, { coverUrl: event.coverUrl, category: 'music' }), 200);
  assert.equal((await api.get(path)).body.coverUrl, event.coverUrl.replace('=food', '=music'));
  // The theme is a field of its own, so a former address does not bring a former theme back.
  const { body: themed } = expectStatus(await api.patch(path, token, { coverTheme: 'tiles' }), 200);
  await expectUnchanged('/v1/events/{id}', event.id, themed);
  const again = { coverUrl: themed.coverUrl, coverTheme: 'moon' };
  const { body: other } = expectStatus(await api.patch(path, token, again), 200);
  assert.equal(other.coverUrl, themed.coverUrl.replace('=tiles', '=moon'));
  expectStatus(await api.patch(path, token, { coverTheme: null }), 200);
  const allDay = eventBody({
    allDay: true,
    startAt: '2031-06-05T00:00:00+02:00',
    endAt: '2031-06-07T00:00:00+02:00',
  });
  await expectUnchanged(
    '/v1/events/{id}',
    event.id,
    expectStatus(await api.patch(path, token, allDay), 200).body,
  );
  const cancelled = expectStatus(await api.patch(path, token, { status: 'cancelled' }), 200).body;
  await expectUnchanged('/v1/events/{id}', event.id, cancelled);
});

const anyItem = fc.record(
  {
    title: text,
    description: fc.option(text),
    emoji: fc.constantFrom('🍞', '👩‍🍳'),
    imageUrl: url,
    link: url,
  },
  { requiredKeys: ['title'] },
);

test('items: PATCH, POST and the batch accept every field of the record, also null', async () => {
  const event = await createEvent(api, organizer);
  const list = async () => (await api.get(`/v1/events/${event.id}/items`, token)).body.data as Fields[];
  const newItem = (item: Fields) => ({ ...known('post', '/v1/events/{id}/items', item), quantityNeeded: 3 });
  await fc.assert(
    fc.asyncProperty(anyItem, async (overrides) => {
      const { id } = await createItem(api, organizer, event.id, overrides);
      const item = (await list()).find((each) => each.id === id) as Fields;
      await expectUnchanged('/v1/items/{id}', id, item);
      expectStatus(await api.post(`/v1/events/${event.id}/items`, token, newItem(item)), 201);
      const items = [newItem(item), newItem({ ...item, description: null })];
      expectStatus(await api.post(`/v1/events/${event.id}/items/batch`, token, { items }), 201);
      const [sent, ...copies] = (await list()).slice(-4).map((each) => newItem(each));
      assert.deepEqual(copies.slice(0, 2), [sent, sent]);
    }),
    { numRuns: often(20, 4) },
  );
});

test('profile, settings, bookings and claims: PATCH accepts every field of the record', async () => {
  const me = (await api.get('/v1/auth/me', token)).body;
  assert.match(me.avatar, /avatar\.svg$/);
  await expectUnchanged('/v1/me', '', me);
  const other = await createUser(api);
  const foreign = me.avatar.replace(me.id, other.id);
  expectStatus(await api.patch('/v1/me', token, { avatar: foreign }), 400);
  const settings = (await api.get('/v1/notifications/settings', token)).body;
  await expectUnchanged('/v1/notifications/settings', '', settings);

  const event = await createEvent(api, organizer, { capacity: 5 });
  const rsvp = { status: 'going', extraGuests: 2, isHidden: true };
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, token, rsvp), 200);
  const { myRsvp, myExtraGuests, isRsvpHidden } = (await api.get(`/v1/events/${event.id}`, token)).body;
  assert.deepEqual({ status: myRsvp, extraGuests: myExtraGuests, isHidden: isRsvpHidden }, rsvp);
  const booking = (await api.post(`/v1/events/${event.id}/booking`, token, { seats: 2 })).body;
  await expectUnchanged('/v1/events/{id}/booking', event.id, booking);
  const item = await createItem(api, organizer, event.id);
  const claim = (await api.post(`/v1/items/${item.id}/claim`, token, { quantity: 2 })).body;
  await expectUnchanged('/v1/items/{id}/claim', item.id, claim);
});
