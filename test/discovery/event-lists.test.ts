import assert from 'node:assert/strict';
import test from 'node:test';
import { initialValues } from '../operations/event-fields.ts';
import { startBothModes } from '../support/both-modes.ts';
import { createEvent, createUser, eventBody, inDays, type Person, rsvpGoing } from '../support/factories.ts';
import { atPlace, createListClient, type Listed } from '../support/list-client.ts';
import { expectProblem, expectStatus } from '../support/setup.ts';

const api = await startBothModes();
const organizer = await createUser(api);

const { ask: send, list, refused: expectRefused } = createListClient(api);
const create = (overrides: Record<string, unknown>) => createEvent(api, organizer, overrides);
const eventTimes = (startAt: string, endAt: string) => ({ startAt, endAt });

// spec: 2.8 GET /v1/events: `total`; `page`; `limit`
test('pages: 60 events in pages of 7 appear exactly once, ordered by start and id, with the exact total', async () => {
  // Four start times for 60 events, so that most neighbours have equal starts.
  const starts = [30, 31, 32, 33].map((day) => inDays(day));
  const created = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      create({ category: 'games', startAt: starts[(i * 7) % 4], endAt: inDays(40) }),
    ),
  );
  const expected = created
    .sort((a, b) => a.startAt.localeCompare(b.startAt) || a.id.localeCompare(b.id))
    .map((event) => event.id);
  const listedIds: string[] = [];
  for (let page = 1; page <= 9; page++) {
    const { body } = expectStatus(await send({ category: 'games', page, limit: 7 }), 200);
    assert.deepEqual(body.meta, { total: 60, page, limit: 7 });
    assert.equal(body.data.length, page < 9 ? 7 : 4);
    listedIds.push(...body.data.map((event: Listed) => event.id));
  }
  assert.deepEqual(listedIds, expected);
  for (const page of [10, 2_147_483_647]) {
    const { body } = expectStatus(await send({ category: 'games', page, limit: 7 }), 200);
    assert.deepEqual(body, { data: [], meta: { total: 60, page, limit: 7 } });
  }
});

// spec: 2.8 GET /v1/events: `total`; `page`; `limit`
// spec: 4.9 GET /v1/events: `page`: default 1; `limit`: default 20, at most 50
// spec: 8 GET /v1/events: `page` default 1; `limit` default 20; `limit` at most 50
test('pages: page 1 and limit 20 by default; 400 below 1, above 50 or not an integer', async () => {
  const { body } = expectStatus(await send({ category: 'games' }), 200);
  assert.deepEqual([body.meta, body.data.length], [{ total: 60, page: 1, limit: 20 }, 20]);
  assert.equal((await send({ category: 'games', limit: 50 })).body.data.length, 50);
  assert.equal((await send({ category: 'games', limit: 1 })).body.data.length, 1);
  for (const limit of [0, 51, -1, 1.5, 'ten', '']) await expectRefused({ limit }, 'limit');
  for (const page of [0, -1, 1.5, 'one', '', 2_147_483_648, 'Infinity'])
    await expectRefused({ page }, 'page');
  expectProblem(await api.get('/v1/events?page=1&page=2'), 400, 'invalid_request');
});

// spec: 4.9 GET /v1/events: `dateFrom`, `dateTo`
test('dates: events that have not ended by default; a range selects the events that overlap it, bounds optional', async () => {
  const day = (number: number, time = '12:00:00') => `2040-01-${String(number).padStart(2, '0')}T${time}Z`;
  await create({ title: 'ended', category: 'film', ...eventTimes(inDays(-3), inDays(-2)) });
  await create({ title: 'going on', category: 'film', ...eventTimes(inDays(-3), inDays(2)) });
  await create({ title: 'from 10 to 12', category: 'film', ...eventTimes(day(10), day(12)) });
  await create({ title: 'from 14 to 15', category: 'film', ...eventTimes(day(14), day(15)) });
  await create({ title: 'last of 20', category: 'film', ...eventTimes(day(20, '23:59:59.999'), day(22)) });
  const [early, middle, late] = ['from 10 to 12', 'from 14 to 15', 'last of 20'];
  for (const [query, titles] of [
    [{}, ['going on', early, middle, late]],
    [{ dateFrom: '2040-01-11' }, [early, middle, late]],
    [{ dateFrom: '2040-01-12' }, [early, middle, late]],
    // The event ends at this instant.
    [{ dateFrom: day(12) }, [middle, late]],
    [{ dateFrom: '2040-01-12T11:59:59.999Z' }, [early, middle, late]],
    [{ dateFrom: '2040-01-12T13:59:59+02:00' }, [early, middle, late]],
    [{ dateFrom: '2040-01-13' }, [middle, late]],
    [{ dateTo: '2040-01-09' }, ['ended', 'going on']],
    [{ dateTo: '2040-01-10' }, ['ended', 'going on', early]],
    [{ dateTo: day(10) }, ['ended', 'going on', early]],
    [{ dateTo: '2040-01-10T11:59:59.999Z' }, ['ended', 'going on']],
    [{ dateFrom: '2040-01-11', dateTo: '2040-01-11' }, [early]],
    [{ dateFrom: '2040-01-13', dateTo: '2040-01-13' }, []],
    [{ dateFrom: '2040-01-12', dateTo: '2040-01-14' }, [early, middle]],
    [{ dateFrom: '2040-01-20', dateTo: '2040-01-20' }, [late]],
    [{ dateFrom: '2040-01-16', dateTo: '2040-01-19' }, []],
    [{ dateFrom: day(14), dateTo: day(14) }, [middle]],
    [{ dateFrom: '1900-01-01', dateTo: '9999-12-31' }, ['ended', 'going on', early, middle, late]],
    [{ dateTo: '9999-12-31T23:59:59.999Z' }, ['ended', 'going on', early, middle, late]],
    [{ dateFrom: '9999-12-31T23:59:59.999Z' }, []],
  ] as const) {
    const results = await list({ category: 'film', ...query });
    assert.deepEqual(
      [results.titles.toSorted(), results.total],
      [titles.toSorted(), titles.length],
      JSON.stringify(query),
    );
  }
});

// spec: 4.9 GET /v1/events: `dateFrom`, `dateTo`
test('dates: 400 naming the parameter for an invalid date and for dateTo before dateFrom', async () => {
  for (const value of ['', 'today', '2040-02-30', '2040-1-1', '2040-01-01T10:00:00', '1704067200']) {
    await expectRefused({ dateFrom: value }, 'dateFrom');
    await expectRefused({ dateTo: value }, 'dateTo');
  }
  await expectRefused({ dateFrom: '2040-01-02', dateTo: '2040-01-01' }, 'dateTo');
  await expectRefused({ dateFrom: '2040-01-01T12:00:00Z', dateTo: '2040-01-01T11:59:59.999Z' }, 'dateTo');
  await expectRefused(
    { dateFrom: '2040-01-01T12:00:00+02:00', dateTo: '2040-01-01T12:00:00+03:00' },
    'dateTo',
  );
  expectStatus(await send({ dateFrom: '2040-01-01T12:00:00Z', dateTo: '2040-01-01' }), 200);
});

test('dates: 200 for an offset whose + was decoded as a space', async () => {
  expectStatus(
    await api.get('/v1/events?dateFrom=2040-01-01T12:00:00+02:00&dateTo=2040-01-01T12:00:00%2B02:00'),
    200,
  );
});

// spec: 4.9 GET /v1/events: `category`
test('category: no results for an unknown category; an empty parameter is ignored', async () => {
  assert.deepEqual(await list({ category: 'nonsense' }), { data: [], total: 0, titles: [] });
  assert.equal((await list({ category: '' })).total, (await list({})).total);
});

// spec: 4.9 GET /v1/events: `q`: full text
test('q: filters by words and keeps the order by start; an empty q is ignored, a q without words has no results', async () => {
  await create({
    title: 'Plain evening',
    description: 'with zither music',
    ...eventTimes(inDays(2), inDays(3)),
  });
  await create({ title: 'Zither zither', description: 'zither', ...eventTimes(inDays(4), inDays(5)) });
  assert.deepEqual((await list({ q: 'ZITH' })).titles, ['Plain evening', 'Zither zither']);
  assert.deepEqual((await list({ q: 'zither plain' })).titles, ['Plain evening']);
  assert.deepEqual((await list({ q: 'zither', category: 'music' })).titles, []);
  const { total } = await list({});
  for (const q of ['', '   ']) assert.equal((await list({ q })).total, total);
  for (const q of ['!!!', "'", '&|']) assert.equal((await list({ q })).total, 0);
  await expectRefused({ q: 'x'.repeat(201) }, 'q');
});

// spec: 2.4 GET /v1/events: `visibility`
// spec: 4.9 GET /v1/events: only public events
test('list: only public, scheduled events, also for their organizer', async () => {
  const event = await create({ category: 'wellbeing' });
  const currentTotal = async () => (await list({ category: 'wellbeing' }, organizer)).total;
  assert.equal(await currentTotal(), 1);
  for (const [change, total] of [
    [{ visibility: 'unlisted' }, 0],
    [{ visibility: 'private' }, 0],
    [{ visibility: 'public' }, 1],
    [{ status: 'cancelled' }, 0],
    [{ status: 'scheduled' }, 1],
    [{ category: 'arts' }, 0],
    [{ category: 'wellbeing' }, 1],
  ] as const) {
    expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, change), 200);
    assert.equal(await currentTotal(), total, JSON.stringify(change));
  }
  expectStatus(await api.delete(`/v1/events/${event.id}`, organizer.token), 200);
  assert.equal(await currentTotal(), 0);
});

test('list: a changed event is found by its new location, times and words, and not by the old ones', async () => {
  const event = await create({ category: 'learning', title: 'Quokka', ...atPlace(10, 10) });
  const move = {
    ...atPlace(-20, -20),
    title: 'Wombat',
    ...eventTimes('2050-01-01T00:00:00Z', '2050-01-02T00:00:00Z'),
  };
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, move), 200);
  for (const [query, total] of [
    [{ lat: 10, lng: 10 }, 0],
    [{ lat: -20, lng: -20 }, 1],
    [{ q: 'quokka' }, 0],
    [{ q: 'wombat' }, 1],
    [{ dateTo: '2049-12-31' }, 0],
    [{ dateFrom: '2050-01-01' }, 1],
  ] as const) {
    assert.equal((await list({ category: 'learning', ...query })).total, total, JSON.stringify(query));
  }
});

// spec: 3 POST /v1/users/:id/block: block: not blocked → blocked, hidden from the blocker's feed
test('list: data and total omit events of people whom the caller blocked, only for that caller', async () => {
  const [blocker, blocked, third] = await Promise.all([createUser(api), createUser(api), createUser(api)]);
  await createEvent(api, blocked, { category: 'community', title: 'theirs' });
  await createEvent(api, blocker, { category: 'community', title: 'mine' });
  await createEvent(api, third, { category: 'community', title: 'another' });
  expectStatus(await api.post(`/v1/users/${blocked.id}/block`, blocker.token), 200);
  const totalFor = async (person?: Person) => {
    const { titles, total } = await list({ category: 'community', limit: 2 }, person);
    assert.equal(titles.length, Math.min(total, 2));
    return total;
  };
  assert.equal(await totalFor(blocker), 2);
  for (const person of [blocked, third, undefined]) assert.equal(await totalFor(person), 3);
  expectStatus(await api.delete(`/v1/users/${blocked.id}/block`, blocker.token), 200);
  assert.equal(await totalFor(blocker), 3);
});

// spec: 2.4 GET /v1/events: `id`; `title`; `description`; `coverUrl`; `startAt`; `endAt`
// spec: 2.4 GET /v1/events: `location`; `category`
// spec: 2.4 GET /v1/events: `price`; `capacity`; `rsvpCount`; `myRsvp`; `isSaved`; `visibility`
// spec: 4.9 GET /v1/events: list events, token optional
test('list: exactly the fields of an element; myRsvp and isSaved only with a token', async () => {
  const guest = await createUser(api);
  const [first, second] = [await create({ category: 'family' }), await create({ category: 'family' })];
  await rsvpGoing(api, guest, first.id);
  expectStatus(await api.post(`/v1/events/${second.id}/save`, guest.token, { saved: true }), 200);
  const element = (id: string, mine: object, counts: object) => ({
    ...eventBody(),
    location: { ...eventBody().location, isExact: true },
    id,
    startAt: id === first.id ? first.startAt : second.startAt,
    endAt: id === first.id ? first.endAt : second.endAt,
    ...initialValues(({ inLists = false }) => inLists),
    coverUrl: `http://127.0.0.1:0/v1/events/${id}/cover.svg?category=family`,
    timezone: 'Europe/Oslo',
    category: { slug: 'family', name: 'Family & kids', emoji: '🧸' },
    status: 'scheduled',
    hasOnlineUrl: false,
    series: null,
    isAddressHidden: false,
    createdAt: id === first.id ? first.createdAt : second.createdAt,
    updatedAt: id === first.id ? first.updatedAt : second.updatedAt,
    ...counts,
    ...mine,
  });
  const counts = [
    { rsvpCount: 1, goingCount: 1, partyCount: 1 },
    { rsvpCount: 0, goingCount: 0, partyCount: 0 },
  ] as const;
  const guestFields = [
    { myRsvp: 'going', isSaved: false },
    { myRsvp: null, isSaved: true },
  ] as const;
  const none = { myRsvp: null, isSaved: false };
  for (const [person, mine] of [
    [guest, guestFields],
    [organizer, [none, none]],
    [undefined, [{}, {}]],
  ] as const) {
    const { data } = await list({ category: 'family' }, person);
    assert.deepEqual(data, [element(first.id, mine[0], counts[0]), element(second.id, mine[1], counts[1])]);
  }
});

test('order=distance: 200 with the nearest event first, by start at one place, on pages; also with words and filters', async () => {
  const away = (km: number) => ({ address: 'A field', lat: 10 + km / 111.19, lng: 20 });
  const starts = [inDays(52), inDays(50), inDays(51)] as const;
  const created: { id: string }[] = [];
  for (const [km, startAt, title] of [
    [30, starts[0], 'Quince jam'],
    [0.2, starts[0], 'Quince jelly'],
    [0.2, starts[1], 'Quince jam'],
    [7, starts[2], 'Quince jam'],
    [49, starts[1], 'Quince pie'],
  ] as const)
    created.push(await create({ title, startAt, endAt: inDays(60), location: away(km) }));
  const [far, later, earlier, middle, farthest] = created.map(({ id }) => id);
  const near = { lat: 10, lng: 20, order: 'distance' };
  const ids = async (query: Record<string, unknown>) => {
    const { body } = expectStatus(await send({ ...near, ...query }), 200);
    return body.data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await ids({}), [earlier, later, middle, far, farthest]);
  assert.deepEqual(await ids({ limit: 2, page: 2 }), [middle, far]);
  assert.deepEqual(await ids({ limit: 2, page: 4 }), []);
  assert.deepEqual(await ids({ q: 'jam' }), [earlier, middle, far]);
  assert.deepEqual(await ids({ radius: 10 }), [earlier, later, middle]);
  await expectRefused({ order: 'distance' }, 'lat');
  await expectRefused({ ...near, limit: 50, page: 201 }, 'page');
});
