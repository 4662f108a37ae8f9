/** Compares the index with a plain filter over its rows: a segment alone, with changes, and with frequent words. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { changeKeyOf, type ListingKey } from '#fresh-records';
import { cellOf, distanceKm, isInBox } from '#record-index';
import { often } from '../../../../test/support/all-cases.ts';
import { randomOf } from '../../../../test/support/random.ts';
import { dayOf } from '../../events/listing-keys.ts';
import { searchQuery, searchVector } from '../../events/search-words.ts';
import { type ListQuery, noDays } from '../event-query.ts';
import { bitsOf, traits } from '../traits.ts';
import { EventIndex } from './event-index.ts';
import type { IndexRow } from './index-rows.ts';
import { ChangedVersions, noJson } from './listed-json.ts';
import { SegmentBuilder } from './segment-builder.ts';

const { next, below, pick } = randomOf(20_261_122);
const hour = 3_600_000;
const vocabulary = [
  'jazz',
  'jazzy',
  'piano',
  'picnic',
  'pizza',
  'zürich',
  'zuri',
  'öl',
  '爵士乐',
  'a',
  'ab',
  'abc',
];
/** Together they are as frequent as one of the vocabulary; the start `w1` is neither rare nor frequent. */
const rareWords = Array.from({ length: 300 }, (_, i) => `w${i}`);
const organizers = Array.from({ length: 9 }, (_, i) => `00000000-0000-7001-8000-00000000000${i}`);
const text = (count: number) =>
  Array.from({ length: count }, () => pick(next() < 0.1 ? rareWords : vocabulary)).join(' ');

/** The last of them is rare, so that the overlay has series that the segment has not. */
const series = Array.from({ length: 40 }, (_, i) => `00000000-0000-7002-8000-0000000000${10 + i}`);
const placesOfSeries = [
  { lat: 50.01, lng: 8.01 },
  { lat: 51.35, lng: -179.99 },
];

type Row = IndexRow & { texts: { title: string; address: string; description: string } };

/** The times of an event or, for every third one, of an all-day event in a zone so many hours from UTC. */
function createTimes(): Pick<Row, 'start' | 'end' | 'firstDay' | 'endDay'> {
  const start = below(2_000) * hour;
  if (next() < 2 / 3)
    return { start, end: start + pick([1, 2, 30, 2_000]) * hour, firstDay: null, endDay: null };
  const firstDay = below(83);
  const endDay = firstDay + pick([1, 1, 2, 30]);
  const offset = pick([-12, -10, 0, 2, 12, 14]);
  return { start: (firstDay * 24 - offset) * hour, end: (endDay * 24 - offset) * hour, firstDay, endDay };
}

function createRow(n: number): Row {
  const texts = { title: text(below(3)), address: text(below(2)), description: text(below(3)) };
  const seriesId = next() < 0.4 ? (series[Math.floor(next() ** 2 * series.length)] ?? null) : null;
  const anywhere = {
    lat: pick([-89.9, 0, 50, 51.3]) + next() / 10,
    lng: pick([-180, -0.05, 8, 179.9]) + next() / 10,
  };
  return {
    id: `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
    ...createTimes(),
    ...(seriesId !== null && next() < 0.8 ? pick(placesOfSeries) : anywhere),
    seriesId,
    category: pick(['music', 'food', 'sports']),
    traits: below(2 ** traits.length),
    organizerId: pick(organizers),
    search: searchVector(texts),
    texts,
  };
}

const inOrder = (a: IndexRow, b: IndexRow) => a.start - b.start || (a.id < b.id ? -1 : 1);
const placeOf = ({ lat, lng, start }: IndexRow): ListingKey => ({
  cell: cellOf(lat, lng),
  day: dayOf(start),
});

function createIndex(rows: Row[]): EventIndex {
  const builder = new SegmentBuilder(rows.length);
  for (const row of rows.toSorted(inOrder)) builder.add(row);
  return new EventIndex(builder.build(50 * 1024 ** 2), noJson(rows.length), new ChangedVersions());
}

/** Replaces the events of some rows by others. */
function apply(index: EventIndex, changed: Row[], after: Row[]): void {
  const changeKeys = new Set(changed.map(({ id }) => changeKeyOf(id)));
  index.apply(
    changed.map(placeOf),
    changeKeys,
    after.map((row) => index.toEvent(row)),
  );
}

const wordsOf = (value: string) => value.split(' ').map((word) => word.replace('ü', 'u').replace('ö', 'o'));

/** 0 for the best grade, null without a match. */
function expectedGrade({ texts }: Row, words: string[]): number | null {
  const [title, address, description] = [texts.title, texts.address, texts.description].map(wordsOf);
  const have = (list: (string[] | undefined)[], matches: (word: string, searched: string) => boolean) =>
    words.every((searched) => list.some((field) => field?.some((word) => matches(word, searched))));
  const starts = (word: string, searched: string) => word.startsWith(searched);
  if (words.length === 0 || !have([title, address, description], starts)) return null;
  if (have([title], (word, searched) => word === searched)) return 0;
  return have([title], starts) ? 1 : have([title, address], starts) ? 2 : 3;
}

const expectedIds = (rows: Row[], query: ListQuery): string[] =>
  expectedRows(rows, query).map(({ id }) => id);

/** The rows of a list without the later ones of each series. */
function withoutLater(rows: Row[], keyOf: (row: Row) => string): Row[] {
  const seen = new Set<string>();
  return rows.filter((row) => row.seriesId === null || seen.size < seen.add(keyOf(row)).size);
}

function expectedRows(rows: Row[], query: ListQuery): Row[] {
  const { from, since, until, days, category, circle, box, search, order, hiddenOrganizers } = query;
  const isGraded = search !== null && order === 'relevance';
  const mm = (row: Row) => (order === 'distance' && circle ? Math.round(distanceKm(circle, row) * 1e6) : 0);
  const found = rows
    .filter(
      (row) =>
        (days.from !== null && row.endDay !== null
          ? row.endDay > days.from
          : row.end > (from?.getTime() ?? Number.NEGATIVE_INFINITY)) &&
        (days.since !== null && row.firstDay !== null
          ? row.firstDay >= days.since
          : row.start >= (since?.getTime() ?? Number.NEGATIVE_INFINITY)) &&
        (days.until !== null && row.firstDay !== null
          ? row.firstDay <= days.until
          : row.start <= (until?.getTime() ?? Number.POSITIVE_INFINITY)) &&
        (category === null || row.category === category) &&
        (circle === null || distanceKm(circle, row) <= circle.radius) &&
        (box === null || isInBox(box, row.lat, row.lng)) &&
        query.traits.every((trait) => row.traits & bitsOf([trait])) &&
        !hiddenOrganizers.includes(row.organizerId),
    )
    .map((row) => ({ row, grade: search === null ? 0 : expectedGrade(row, search.words) }))
    .filter(({ grade }) => grade !== null)
    .sort(
      (a, b) =>
        (isGraded ? (a.grade ?? 0) - (b.grade ?? 0) : 0) || mm(a.row) - mm(b.row) || inOrder(a.row, b.row),
    )
    .map(({ row }) => row);
  return query.collapse ? withoutLater(found, ({ seriesId }) => `${seriesId}`) : found;
}

const searched = [
  'jazz',
  'j',
  'pi',
  'piano',
  'zur',
  'zurich',
  'ol',
  'a',
  'ab',
  'abc',
  'w1',
  'w12',
  'w29',
  'nothing',
];
const maybe = <T>(value: T): T | null => (next() < 0.5 ? value : null);

const boxes = [
  { west: -180, south: -90, east: 180, north: 90 },
  { west: 8, south: 50, east: 8.05, north: 50.05 },
  { west: 179.5, south: -90, east: -179.95, north: 51 },
];

const inHours = (hours: number): Date => new Date(hours * hour);

/** The bounds of a query, as instants or, for every second query, as days in UTC. */
function createBounds(): Pick<ListQuery, 'from' | 'since' | 'until' | 'days'> {
  const from = maybe(below(2_100));
  const since = next() < 0.3 ? below(2_100) : null;
  const until = maybe((from ?? 0) + below(1_000));
  const instants = (hours: number | null) => (hours === null ? null : inHours(hours));
  if (next() < 0.5)
    return { from: instants(from), since: instants(since), until: instants(until), days: noDays };
  const dayOf = (hours: number | null) => (hours === null ? null : Math.floor(hours / 24));
  const days = { from: dayOf(from), since: dayOf(since), until: dayOf(until) };
  const startOf = (day: number | null) => (day === null ? null : inHours(day * 24));
  return {
    from: startOf(days.from),
    since: startOf(days.since),
    until: days.until === null ? null : new Date((days.until + 1) * 24 * hour - 1),
    days,
  };
}

function createQuery(): ListQuery {
  const query = createFilters();
  // An order by distance has a centre.
  return query.circle && next() < 0.3 ? { ...query, order: 'distance' } : query;
}

function createFilters(): ListQuery {
  const words = maybe(Array.from({ length: below(4) }, () => pick(searched)));
  const radius = pick([1, 20, 500, 9_000, 12_000, 20_000]);
  return {
    ...createBounds(),
    category: maybe(pick(['music', 'food', 'unknown'])),
    circle: maybe({ lat: pick([-90, 0, 50.04, 89]), lng: pick([-180, 8.05, 179.95]), radius }),
    box: next() < 0.3 ? pick(boxes) : null,
    traits: traits.filter(() => next() < 0.3),
    search: words && searchQuery(words.join(' ')),
    order: next() < 0.5 ? 'relevance' : 'start',
    collapse: next() < 0.4,
    hiddenOrganizers: next() < 0.3 ? [pick(organizers), pick(organizers)] : [],
  };
}

const everything: ListQuery = {
  from: null,
  since: null,
  until: null,
  days: noDays,
  category: null,
  circle: null,
  box: null,
  traits: [],
  search: null,
  hiddenOrganizers: [],
  order: 'start',
  collapse: false,
};

/** The query without the filters that leave out this event. */
function queryThatFinds(row: Row, query: ListQuery): ListQuery {
  const kept = Object.entries(query).filter(
    ([name, value]) => expectedIds([row], { ...everything, [name]: value }).length > 0,
  );
  return { ...everything, ...Object.fromEntries(kept) };
}

function compare(index: EventIndex, rows: Row[], count: number): void {
  for (let i = 0; i < count; i++) {
    const isFound = i % 2 === 0;
    const query = isFound ? queryThatFinds(pick(rows), createQuery()) : createQuery();
    const expected = expectedIds(rows, query);
    const limit = 1 + below(50);
    const page = 1 + below(Math.ceil(expected.length / limit) + 1);
    const found = index.search(query, { page, limit });
    const message = JSON.stringify({ query, page, limit });
    assert.ok(found, message);
    assert.equal(found.total, expected.length, message);
    assert.deepEqual(found.ids, expected.slice((page - 1) * limit, page * limit), message);
    assert.ok(!isFound || expected.length > 0, message);
  }
}

test('index: pages and totals are those of a plain filter, without events and with', () => {
  const rows = Array.from({ length: 700 }, (_, n) => createRow(n));
  assert.deepEqual(createIndex([]).search(createQuery(), { page: 1, limit: 10 }), { ids: [], total: 0 });
  compare(createIndex(rows), rows, 400);
});

/** Changes about `share` of the rows, removes others, and adds new ones. @returns the rows after it */
function change(index: EventIndex, rows: Row[], share: number, round: number): Row[] {
  const changed = rows.filter(() => next() < share);
  const added = Array.from({ length: below(20) }, (_, i) => createRow(100_000 + round * 100 + i));
  const after = [
    ...changed.filter(() => next() < 0.6).map((row) => ({ ...createRow(0), id: row.id })),
    ...added,
  ];
  apply(index, [...changed, ...after], after);
  const gone = new Set(changed.map(({ id }) => id));
  return [...rows.filter(({ id }) => !gone.has(id)), ...after];
}

test('index: pages and totals stay those of a plain filter while events are added, changed and removed', () => {
  let rows = Array.from({ length: 500 }, (_, n) => createRow(n));
  const index = createIndex(rows);
  for (let round = 0; round < 40; round++) {
    rows = change(index, rows, 0.04, round);
    assert.equal(index.size, rows.length);
    compare(index, rows, 20);
  }
});

test('index: frequent words, whose bitmaps are computed in advance, give the same pages, also after changes', () => {
  let rows = Array.from({ length: 12_000 }, (_, n) => createRow(n));
  const index = createIndex(rows);
  compare(index, rows, 60);
  for (let round = 0; round < 3; round++) {
    rows = change(index, rows, 0.01, round);
    compare(index, rows, 40);
  }
});

test('index: the list of what has not ended has each event that begins or ends between two queries of a minute', () => {
  const rows = Array.from({ length: often(500, 150) }, (_, n) => createRow(n));
  const index = createIndex(rows);
  for (const [n, at] of rows.flatMap(({ start, end }) => [start, end]).entries()) {
    for (const from of [at - 40_000, at - 1, at, at + 10_000, at - 20_000].map((ms) => new Date(ms))) {
      const query: ListQuery = { ...createFilters(), from, since: null, until: null, days: noDays };
      const expected = expectedIds(rows, query);
      assert.deepEqual(
        index.search(query, { page: 1, limit: 500 }),
        { ids: expected, total: expected.length },
        `${n}`,
      );
    }
  }
});

test('index: a map that has begun shows the events that were removed after that', async () => {
  const rows = Array.from({ length: 28_000 }, (_, n) => createRow(n));
  const index = createIndex(rows);
  const [box] = boxes as [(typeof boxes)[0]];
  const query = everything;
  const map = index.map({ ...query, box, zoom: 3, order: 'start' });
  apply(index, rows, []);
  assert.equal(index.size, 0);
  assert.equal(
    (await map)?.clusters.reduce((sum, { count }) => sum + count, 0),
    rows.length,
  );
});

test('index: a collapsed map has one point for a series and place, that of its first event', async () => {
  let rows = Array.from({ length: 400 }, (_, n) => createRow(n));
  const index = createIndex(rows);
  for (let round = 0; round < 10; round++) {
    for (const box of boxes) {
      const filters = { ...createFilters(), order: 'start' as const, box, circle: null, collapse: false };
      const shown = withoutLater(
        expectedRows(rows, filters),
        (row) => `${row.seriesId} ${row.lat} ${row.lng}`,
      );
      const map = await index.map({ ...filters, collapse: true, zoom: 22 });
      const count = map?.clusters.reduce((sum, { count }) => sum + count, 0);
      assert.equal(count, shown.length, JSON.stringify(filters));
      const ids = new Set(shown.map(({ id }) => id));
      for (const { eventId } of map?.clusters ?? []) assert.ok(eventId === null || ids.has(eventId));
    }
    rows = change(index, rows, 0.04, round);
  }
});

test('index: it is outgrown when 2,048 events have changed', () => {
  const index = createIndex([]);
  const rows = Array.from({ length: 2_049 }, (_, n) => createRow(n));
  apply(index, [], rows.slice(0, 2_048));
  assert.equal(index.isOutgrown, false);
  apply(index, [], rows.slice(2_048));
  assert.equal(index.isOutgrown, true);
});

/** Words of eight letters that differ from `aaaaaaaa` in two of them. */
const typed = 'aaaaaaaa';
const withLetter = (word: string, at: number, letter: string) =>
  word.slice(0, at) + letter + word.slice(at + 1);
const letters = [...'bcdefghijklmnopq'];
const alike = [
  ...new Set(
    [0, 1, 2, 3, 4, 5, 6].flatMap((at) =>
      letters.flatMap((a) =>
        letters.flatMap((b) =>
          [1, 2, 3, 4].map((gap) => withLetter(withLetter(typed, at, a), (at + gap) % 8, b)),
        ),
      ),
    ),
  ),
];
const describedBy = (words: string[]): Pick<Row, 'search'> => ({
  search: searchVector({ title: '', address: '', description: words.join(' ') }),
});

test('near words: the effort limits the words of the segment and those of changed events that are compared', () => {
  const row = { ...createRow(1), ...describedBy(alike) };
  const effort = { visits: 1_000_000, comparisons: 5_000, listed: 0 };
  assert.ok(alike.length > effort.comparisons);
  assert.equal(createIndex([row]).nearWords(typed, effort).length, 5_000);
  const index = createIndex([]);
  apply(index, [], [row]);
  assert.equal(index.nearWords(typed, effort).length, 5_000);
});

test('near words: the effort limits the words of the segment and those of changed events that are looked at', () => {
  const rows = alike.slice(0, 100).map((word, n) => ({ ...createRow(n), ...describedBy([word]) }));
  // An event of the overlay counts itself and its new words.
  const effort = { visits: 60, comparisons: 5_000, listed: 0 };
  assert.equal(createIndex(rows).nearWords(typed, effort).length, 60);
  const index = createIndex([]);
  apply(index, [], rows);
  assert.equal(index.nearWords(typed, effort).length, 30);
});

test('near words: words of several organizers are found although one organizer has written thousands of near words', () => {
  const [stranger = '', one = '', other = ''] = organizers;
  const word = 'aaaaaazz';
  const rows = [
    ...[1, 2, 3].map((n) => ({ ...createRow(n), ...describedBy(alike), organizerId: stranger })),
    ...[one, other].map((organizerId, n) => ({ ...createRow(4 + n), ...describedBy([word]), organizerId })),
  ];
  for (const effort of [
    { visits: 1, comparisons: 5_000, listed: 0 },
    { visits: 1_000_000, comparisons: 1, listed: 0 },
  ])
    assert.deepEqual(createIndex(rows).nearWords(typed, effort), [{ word, frequency: 2, distance: 2 }]);
});

test('segment: starts of any length have bitmaps if more than 2,000 words of few events begin with them', () => {
  const builder = new SegmentBuilder(3);
  const words = Array.from({ length: 2_100 }, (_, n) => `interminable${n}`);
  for (const n of [1, 2, 3]) builder.add({ ...createRow(n), ...describedBy(words.slice(n * 500 - 500)) });
  const { frequent } = builder.build(50 * 1024 ** 2);
  assert.ok(frequent.has('interminable') && frequent.has('inter') && frequent.has('i'));
  assert.ok(!frequent.has('interminable3'));
});
