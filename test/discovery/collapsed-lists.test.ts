/** Lists that show of each series the first occurrence, compared with the same lists without `collapse`. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { firstPosition } from '../../src/modules/events/start-pages.ts';
import { findFeed } from '../../src/modules/feed/find-feed.ts';
import { listByPeople } from '../../src/modules/feed/repo.ts';
import { makeDueDates } from '../../src/modules/series/make-dates.ts';
import { at, createSeriesClient, createSeriesClock, firstDate } from '../series/series-client.ts';
import { often } from '../support/all-cases.ts';
import { startBothModes } from '../support/both-modes.ts';
import { createEvent, createUser, type Person, rsvpGoing, signIn } from '../support/factories.ts';
import { randomOf } from '../support/random.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const clock = createSeriesClock();
const app = await startTestApp({ clock });
const api = await startBothModes(app);
/** The cursors of two servers have different times. */
const bySql = await app.startAnother({ env: { DISCOVERY: 'sql' } });
const { createSeries, eventsOf, eventOn, patch, remove } = createSeriesClient(api);
const { below, pick, next } = randomOf(20_261_201);
const [viewer, blocked, ...organizers] = await Promise.all(Array.from({ length: 5 }, () => createUser(api)));
assert.ok(viewer && blocked && organizers.length === 3);

type Listed = {
  id: string;
  startAt: string;
  endAt: string;
  series: { id: string } | null;
  location: { lat: number; lng: number };
};
type Page = { data: Listed[]; meta: { total: number } };

const places = [
  { address: 'Pier', lat: 52.5, lng: 13.4 },
  { address: 'Jazz cellar', lat: 52.51, lng: 13.41 },
  { address: 'Far away', lat: 40, lng: 8 },
];
const words = ['jazz', 'piano', 'picnic', 'jazzy'];
const anyEvent = () => {
  const day = Temporal.PlainDate.from(firstDate)
    .add({ days: below(40) })
    .toString();
  return eventOn(day, {
    title: `Evening ${pick(words)}`,
    description: pick([...words, '']),
    category: pick(['music', 'food']),
    location: pick(places),
    visibility: pick(['public', 'public', 'public', 'unlisted']),
  });
};
const anyOrganizer = (): Person => pick([...organizers, ...organizers, blocked]);

/** Events and series, some of whose occurrences were changed, cancelled or deleted for themselves. */
async function createAny(): Promise<void> {
  const organizer = anyOrganizer();
  if (next() < 0.5) {
    const event = await createEvent(api, organizer, anyEvent());
    if (next() < 0.3) await rsvpGoing(api, viewer as Person, event.id);
    return;
  }
  const rrule = `FREQ=${pick(['DAILY', 'WEEKLY'])};COUNT=${2 + below(4)}`;
  const series = await createSeries(organizer, { event: anyEvent(), rrule });
  for (const { id, startAt } of await eventsOf(series.id, '', organizer)) {
    const moved = new Date(Date.parse(startAt) + 3_600_000 * (below(100) - 50)).toISOString();
    const end = new Date(Date.parse(moved) + 7_200_000).toISOString();
    const change = pick<object | null>([
      ...[null, null, null, { title: 'Evening piano' }, { location: pick(places) }, { status: 'cancelled' }],
      ...[{ visibility: 'private' }, { startAt: moved, endAt: end }, { category: 'food' }],
    ]);
    if (change) expectStatus(await patch(id, organizer, change), 200);
    else if (next() < 0.15) expectStatus(await remove(id, organizer), 200);
    else if (next() < 0.4) await rsvpGoing(api, viewer as Person, id);
  }
}

for (let i = 0; i < often(60, 30); i++) await createAny();
expectStatus(await api.post(`/v1/users/${blocked.id}/block`, viewer.token), 200);
for (const organizer of organizers.slice(0, 2))
  expectStatus(await api.post(`/v1/users/${organizer.id}/follow`, viewer.token), 200);

const textOf = (query: Record<string, string | number>) =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, `${value}`])).toString();

/** All pages of a list with numbers. */
async function readPages(path: string, token: string | undefined, limit: number): Promise<Page> {
  const data: Listed[] = [];
  for (let page = 1; ; page++) {
    const { body } = expectStatus(await api.get(`${path}&limit=${limit}&page=${page}`, token), 200);
    data.push(...body.data);
    if (body.data.length < limit) return { data, meta: body.meta };
  }
}

/** Tokens end before the time to which the clock advances. */
async function advanceTo(time: string, ...people: Person[]): Promise<void> {
  clock.advance(Math.max(0, Date.parse(time) - clock.now().getTime()));
  for (const person of people) Object.assign(person, await signIn(app, person.phone));
}

/** All pages of a list with cursors. `between` runs after each page. */
async function readCursors(
  path: string,
  person: Person | undefined,
  limit: number,
  { server = app, between = async () => {} }: { server?: TestApp; between?: () => Promise<void> } = {},
): Promise<Listed[]> {
  const data: Listed[] = [];
  for (let cursor = ''; ; ) {
    const { body } = expectStatus(await server.get(`${path}&limit=${limit}${cursor}`, person?.token), 200);
    data.push(...body.data);
    if (body.nextCursor === null) return data;
    cursor = `&cursor=${body.nextCursor}`;
    await between();
  }
}

/** A list without the later occurrences of each series. */
function withoutLater(events: Listed[], keyOf = ({ series }: Listed) => `${series?.id}`): Listed[] {
  const seen = new Set<string>();
  return events.filter((event) => event.series === null || seen.size < seen.add(keyOf(event)).size);
}
const idsOf = (events: Listed[]) => events.map(({ id }) => id);

const circle = { lat: 52.505, lng: 13.405 };
const queries: Record<string, string | number>[] = [
  {},
  { category: 'food' },
  { q: 'jazz', order: 'relevance' },
  { q: 'piano', order: 'start' },
  { ...circle, radius: 5 },
  { ...circle, radius: 20_000, order: 'distance' },
  { ...circle, radius: 5, order: 'distance', q: 'jaz' },
  { dateFrom: '2031-01-20', dateTo: '2031-02-01' },
  { startFrom: '2031-01-15T12:00:00Z', category: 'music' },
  { bbox: '13,52,14,53', q: 'evening' },
];

// spec: 6 GET /v1/events: lists that show of each series the first occurrence
test('collapse: pages and total of each order and filter are those of the list without later occurrences', async () => {
  for (const query of queries)
    for (const token of [undefined, viewer.token]) {
      const all = await readPages(`/v1/events?${textOf(query)}`, token, 50);
      const expected = withoutLater(all.data);
      for (const limit of [50, 3]) {
        const found = await readPages(`/v1/events?collapse=series&${textOf(query)}`, token, limit);
        assert.deepEqual(idsOf(found.data), idsOf(expected), textOf(query));
        assert.equal(found.meta.total, expected.length, textOf(query));
      }
      assert.ok(expected.length > 0 && expected.length < all.data.length, textOf(query));
    }
});

test('collapse: the search shows each series once, by relevance', async () => {
  for (const q of ['jazz', 'evening', 'pi']) {
    const all = await readPages(`/v1/events/search?q=${q}`, undefined, 50);
    const found = await readPages(`/v1/events/search?q=${q}&collapse=series`, undefined, 4);
    const expected = withoutLater(all.data);
    assert.deepEqual([idsOf(found.data), found.meta.total], [idsOf(expected), expected.length], q);
  }
});

test('collapse: the lists follow changes of occurrences', async () => {
  const organizer = await createUser(api);
  const { id } = await createSeries(organizer, { event: eventOn(firstDate, { title: 'Change ringing' }) });
  const list = async () =>
    idsOf((await readPages('/v1/events?q=ringing&collapse=series', undefined, 5)).data);
  const [first, second, third, fourth] = idsOf((await eventsOf(id)) as unknown as Listed[]);
  assert.deepEqual(await list(), [first]);
  expectStatus(await patch(first ?? '', organizer, { status: 'cancelled' }), 200);
  assert.deepEqual(await list(), [second]);
  expectStatus(await remove(second ?? '', organizer), 200);
  assert.deepEqual(await list(), [third]);
  const change = { description: 'From now on' };
  expectStatus(await patch(fourth ?? '', organizer, change, 'following'), 200);
  // The later part is a series of its own.
  assert.deepEqual(await list(), [third, fourth]);
  expectStatus(await patch(first ?? '', organizer, { status: 'scheduled' }), 200);
  assert.deepEqual(await list(), [first, fourth]);
});

// spec: 6 GET /v1/events/map: series on a map
test('collapse: a map has one point for a series and place', async () => {
  for (const filters of ['', '&category=food', '&q=jazz'])
    for (const zoom of [0, 5, 22]) {
      const bbox = 'bbox=-180,-90,180,90';
      const all = await readPages(`/v1/events?${bbox}${filters}`, viewer.token, 50);
      const expected = withoutLater(
        all.data,
        ({ series, location: { lat, lng } }) => `${series?.id} ${lat} ${lng}`,
      );
      const path = `/v1/events/map?${bbox}&zoom=${zoom}&collapse=series${filters}`;
      const { body } = expectStatus(await api.get(path, viewer.token), 200);
      assert.equal(body.meta.total, expected.length);
      const single = body.data.flatMap(({ eventId }: { eventId?: string }) => eventId ?? []);
      for (const id of single) assert.ok(idsOf(expected).includes(id));
    }
});

test('collapse: lists with cursors are those without later occurrences, of each time and page size', async () => {
  const [organizer] = organizers;
  assert.ok(organizer);
  await advanceTo('2031-01-25T12:00:00Z', organizer, viewer);
  const lists: [path: string, person: Person | undefined][] = [
    [`/v1/users/${organizer.id}/events?`, undefined],
    ['/v1/me/events?relation=organizing', organizer],
    ['/v1/me/events?relation=going', viewer],
    ['/v1/feed?', viewer],
  ];
  let ended = 0;
  for (const [path, person] of lists)
    for (const when of path.includes('feed') ? [''] : ['', '&when=upcoming', '&when=past']) {
      const all = await readCursors(`${path}${when}`, person, 50);
      const expected = withoutLater(all);
      for (const limit of [50, 2, 1])
        for (const server of [app, bySql]) {
          const found = await readCursors(`${path}${when}&collapse=series`, person, limit, { server });
          assert.deepEqual(idsOf(found), idsOf(expected), `${path}${when} ${limit} at a time`);
        }
      assert.ok(expected.length > 0, path + when);
      ended += when === '&when=past' ? expected.length : 0;
    }
  assert.ok(ended > 3);
});

test('collapse: the feed of many followed people, along the next events, is that of few', async () => {
  const reader = { id: viewer.id, role: 'user' as const };
  const query = { viewer: reader, now: clock.now(), after: firstPosition, limit: 100, collapse: true };
  const found = await listByPeople(app.sql, query);
  assert.ok(found.length > 4);
  const feed = await readCursors('/v1/feed?collapse=series', viewer, 3);
  assert.deepEqual(
    idsOf(feed),
    found.map(({ id }) => id),
  );
  for (const batchSizes of [[1, 3], [50], [5, 5, 5, 5]])
    for (const skipped of [0, 1, 3]) {
      const after = found[skipped - 1] ?? firstPosition;
      const limits = { maxPeople: 0, batchSizes };
      assert.deepEqual(await findFeed(app.sql, { ...query, after }, limits), found.slice(skipped));
      assert.deepEqual(
        await findFeed(app.sql, { ...query, after, limit: 2 }, limits),
        found.slice(skipped, skipped + 2),
      );
    }
});

test('collapse: pages with cursors have each series once while dates are made and end', async () => {
  const person = await createUser(api);
  const ids: string[] = [];
  for (const day of ['2031-03-04', '2031-03-05', '2031-03-06', '2031-03-07']) {
    const { id } = await createSeries(person, { event: eventOn(day), rrule: 'FREQ=DAILY' });
    ids.push(id);
  }
  for (const path of [
    `/v1/users/${person.id}/events?when=upcoming`,
    '/v1/me/events?relation=organizing&when=upcoming',
  ]) {
    const between = async () => {
      // The first occurrences of two series have ended then.
      await advanceTo(at('2031-03-06T12:00'), person);
      await app.sql`update series set due_at = '2030-01-01' where id = any(${ids})`;
      await makeDueDates({ db: app.sql, clock: clock.now });
    };
    const found = await readCursors(`${path}&collapse=series`, person, 1, { between });
    assert.deepEqual(
      found.map(({ series }) => series?.id),
      ids,
    );
  }
});

test('collapse: suggestions have one occurrence of a series', async () => {
  const person = await createUser(api);
  const event = eventOn('2031-06-03', { title: 'Bellringers' });
  const { id } = await createSeries(person, { event, rrule: 'FREQ=WEEKLY;COUNT=4' });
  await createEvent(api, person, eventOn('2031-06-20', { title: 'Bellringers alone' }));
  const { body } = expectStatus(await api.get('/v1/events/suggest?q=bellring'), 200);
  const [first] = idsOf((await eventsOf(id)) as unknown as Listed[]);
  assert.deepEqual(
    body.data.events.map(({ title, id }: { title: string; id: string }) =>
      title === 'Bellringers' ? id : title,
    ),
    [first, 'Bellringers alone'],
  );
});

test('collapse: 400 for another value, and with order=updated; calendars ignore it', async () => {
  const paths = [
    '/v1/events?collapse=all',
    '/v1/events?order=updated&collapse=series',
    '/v1/events/search?q=jazz&collapse=',
  ];
  for (const path of paths) {
    const { body } = expectProblem(await api.get(path), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['collapse'],
      path,
    );
  }
  const [all, collapsed] = await Promise.all(
    ['', '?collapse=series'].map((query) => api.get(`/v1/events.ics${query}`)),
  );
  assert.equal(collapsed?.body, all?.body);
});
