/** Compares GET /v1/events for random filters with a plain filter that shares no code with the server. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { eventTraits, traitNames, traitsOf } from '../operations/event-traits.ts';
import { often } from '../support/all-cases.ts';
import { startBothModes } from '../support/both-modes.ts';
import { createEvent, createUser, type Person } from '../support/factories.ts';
import { expectStatus } from '../support/setup.ts';

const api = await startBothModes();
const [viewer, ...organizers] = await Promise.all(Array.from({ length: 5 }, () => createUser(api)));
assert.ok(viewer && organizers.length === 4);
const [blocked] = organizers;
assert.ok(blocked);
expectStatus(await api.post(`/v1/users/${blocked.id}/block`, viewer.token), 200);

const seed = 20_260_718;
const day = 86_400_000;
const base = Date.UTC(2040, 0, 1);
const vocabulary = ['jazz', 'jazzy', 'piano', 'picnic', 'pizza', 'Zürich', 'zurich', 'öl', 'école'];
const categories = ['music', 'food', 'sports'];

const text = fc.array(fc.constantFrom(...vocabulary), { maxLength: 3 }).map((words) => words.join(' '));
const centres = [
  [47.37, 8.54],
  [0, 179.9],
  [89.9, 0],
  [-90, 0],
] as const;
/** Mostly points near a centre, so that the circles of the queries contain events. */
const place = fc
  .tuple(
    fc.constantFrom(...centres),
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.constantFrom(0, 0.5, 2, 90),
  )
  .map(([[lat, lng], dLat, dLng, spread]) => ({
    lat: Math.max(-90, Math.min(90, lat + dLat * spread)),
    lng: ((((lng + dLng * spread * 2 + 180) % 360) + 360) % 360) - 180,
  }));
/** Whole hours, so that the ends of events and the bounds of queries are often equal. */
const hour = fc.integer({ min: 0, max: 24 * 20 }).map((hours) => base + hours * (day / 24));

/** Zones without clock changes in 2040, and their hours from UTC. */
const zones: Record<string, number> = {
  'Pacific/Kiritimati': 14,
  'Asia/Tokyo': 9,
  UTC: 0,
  'Pacific/Honolulu': -10,
  'Etc/GMT+12': -12,
};

const anyEvent = fc.record({
  title: text.map((words) => `An evening ${words}`),
  description: text,
  startAt: hour,
  hours: fc.constantFrom(1, 5, 24, 24 * 10),
  /** With a zone, hours from UTC: an all-day event of the day of `startAt`, or of so many days. */
  allDay: fc.constantFrom(undefined, undefined, ...Object.keys(zones)),
  location: fc
    .record({ place, address: text })
    .map(({ place, address }) => ({ address: `At ${address}`, ...place })),
  category: fc.constantFrom(...categories),
  fields: fc.tuple(...Object.values(eventTraits).map(({ examples }) => fc.constantFrom(...examples))),
  visibility: fc.constantFrom('public', 'public', 'public', 'unlisted', 'private'),
  cancelled: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  organizer: fc.constantFrom(...organizers),
});

/** `days`: the first local day of an all-day event, and the day after the last one, as times in UTC. */
type CreatedEvent = {
  id: string;
  startAt: number;
  endAt: number;
  days: { first: number; end: number } | null;
  traits: string[];
  shown: boolean;
  organizer: Person;
} & Pick<ReturnType<typeof sample>[number], 'title' | 'description' | 'location' | 'category'>;
const sample = () => fc.sample(anyEvent, { numRuns: often(300, 100), seed });

async function createSample(sampled: ReturnType<typeof sample>[number]): Promise<CreatedEvent> {
  const { startAt: at, hours, allDay: timezone, cancelled, organizer, fields: some, ...fields } = sampled;
  const first = Math.floor(at / day) * day;
  const days = timezone === undefined ? null : { first, end: first + Math.max(hours, 24) * (day / 24) };
  const offset = (zones[timezone ?? 'UTC'] ?? 0) * (day / 24);
  const [startAt, endAt] = days ? [days.first - offset, days.end - offset] : [at, at + hours * (day / 24)];
  const times = { startAt: new Date(startAt).toISOString(), endAt: new Date(endAt).toISOString() };
  const event = await createEvent(api, organizer, {
    ...fields,
    ...Object.assign({}, ...some),
    ...times,
    ...(timezone !== undefined && { allDay: true, timezone }),
  });
  const { id } = event;
  if (cancelled)
    expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, { status: 'cancelled' }), 200);
  return {
    ...fields,
    id,
    startAt,
    endAt,
    days,
    traits: traitsOf(event),
    organizer,
    shown: fields.visibility === 'public' && !cancelled,
  };
}

const foldText = (text: string) =>
  text.toLowerCase().replaceAll('ü', 'u').replaceAll('ö', 'o').replaceAll('é', 'e');

/** Great-circle distance, computed from the chord. */
function distanceKm(a: { lat: number; lng: number }, b: { lat: number; lng: number }): number {
  const [p, q] = [a, b].map(({ lat, lng }) => {
    const [phi, lambda] = [(lat / 180) * Math.PI, (lng / 180) * Math.PI];
    return { x: Math.cos(phi) * Math.cos(lambda), y: Math.cos(phi) * Math.sin(lambda), z: Math.sin(phi) };
  });
  assert.ok(p && q);
  return 2 * 6371 * Math.asin(Math.min(1, Math.hypot(p.x - q.x, p.y - q.y, p.z - q.z) / 2));
}

const anyQuery = fc.record(
  {
    near: fc.record({
      place,
      radius: fc.constantFrom(undefined, 1, 20, 50, 111.3, 300, 5_000, 20_000),
      isOrder: fc.boolean(),
    }),
    box: fc.constantFrom('-180,-90,180,90', '8,47,9,48', '179,-1,-179,1', '8.54,46,8.54,49'),
    // One at a time: with several, few of the queries would have results.
    traits: fc.subarray(traitNames, { maxLength: 1 }),
    category: fc.constantFrom(...categories, 'nonsense'),
    from: fc.record({ at: hour, bare: fc.boolean() }),
    days: fc.record({ count: fc.integer({ min: 0, max: 12 }), bare: fc.boolean() }),
    begin: fc.option(fc.record({ at: hour, days: fc.constantFrom(undefined, 3, 9), bare: fc.boolean() }), {
      nil: undefined,
      freq: 2,
    }),
    q: fc.constantFrom(
      'jazz',
      'JAZZY',
      'pi',
      'piano picnic',
      'zürich',
      'zur',
      'OL',
      'ecole',
      'eve',
      'at pizza',
      'nothing',
    ),
    limit: fc.integer({ min: 1, max: 50 }),
    page: fc.integer({ min: 1, max: 4 }),
    signedIn: fc.boolean(),
  },
  { requiredKeys: ['limit', 'page', 'signedIn'] },
);
type Query = typeof anyQuery extends fc.Arbitrary<infer T> ? T : never;

/** The bounds as query parameters and as times. */
function dates({ from, days, begin }: Query) {
  const midnight = (at: number) => Math.floor(at / day) * day;
  const format = (at: number, bare: boolean) => new Date(at).toISOString().slice(0, bare ? 10 : undefined);
  const beginTo = begin?.days === undefined ? undefined : begin.at + begin.days * day;
  const to = days && { at: (from?.at ?? base) + days.count * day, bare: days.bare };
  return {
    sent: {
      ...(from && { dateFrom: format(from.at, from.bare) }),
      ...(to && { dateTo: format(to.at, to.bare) }),
      ...(begin && { startFrom: format(begin.at, begin.bare) }),
      ...(begin && beginTo !== undefined && { startTo: format(beginTo, begin.bare) }),
    },
    /** Bounds that are dates without a time, which compare an all-day event by its days. */
    areDays: { first: from?.bare, last: to?.bare, begin: begin?.bare },
    earliest: begin ? (begin.bare ? midnight(begin.at) : begin.at) : 0,
    latest:
      begin && beginTo !== undefined
        ? begin.bare
          ? midnight(beginTo) + day - 1
          : beginTo
        : Number.POSITIVE_INFINITY,
    // The default is the current time, and all events are in the future.
    first: from ? (from.bare ? midnight(from.at) : from.at) : 0,
    last: to ? (to.bare ? midnight(to.at) + day - 1 : to.at) : Number.POSITIVE_INFINITY,
  };
}

function isInBox(box: string, { lat, lng }: { lat: number; lng: number }): boolean {
  const [west = 0, south = 0, east = 0, north = 0] = box.split(',').map(Number);
  const isBetween = west <= east ? lng >= west && lng <= east : lng >= west || lng <= east;
  return isBetween && lat >= south && lat <= north;
}

function expected(events: CreatedEvent[], query: Query): string[] {
  const { first, last, earliest, latest, areDays } = dates(query);
  const words = query.q?.toLowerCase().split(' ') ?? [];
  return events
    .filter((event) => {
      const eventWords = foldText(`${event.title} ${event.location.address} ${event.description}`).split(' ');
      return (
        event.shown &&
        !(query.signedIn && event.organizer === blocked) &&
        (areDays.first && event.days ? event.days.end : event.endAt) > first &&
        (areDays.last && event.days ? event.days.first : event.startAt) <= last &&
        (areDays.begin && event.days ? event.days.first : event.startAt) >= earliest &&
        (areDays.begin && event.days ? event.days.first : event.startAt) <= latest &&
        (query.category === undefined || event.category === query.category) &&
        (query.box === undefined || isInBox(query.box, event.location)) &&
        (query.traits ?? []).every((name) => event.traits.includes(name)) &&
        (!query.near || distanceKm(event.location, query.near.place) <= (query.near.radius ?? 50)) &&
        words.every((word) => eventWords.some((eventWord) => eventWord.startsWith(foldText(word))))
      );
    })
    .sort((a, b) => mm(a, query) - mm(b, query) || a.startAt - b.startAt || (a.id < b.id ? -1 : 1))
    .map((event) => event.id);
}

/** The order by distance; 0 by start. Without farther halves of the earth, where rounding decides. */
const mm = ({ location }: CreatedEvent, { near }: Query): number =>
  near?.isOrder && (near.radius ?? 50) < 10_000
    ? Math.round(distanceKm(location, near.place) * 1_000_000)
    : 0;

function address(query: Query): string {
  const { near, box, traits = [], category, q, limit, page } = query;
  const { radius, place, isOrder } = near ?? {};
  const order = isOrder && (radius ?? 50) < 10_000 ? 'distance' : undefined;
  const parameters = {
    ...place,
    radius,
    order,
    bbox: box,
    ...Object.fromEntries(traits.map((name) => [name, true])),
    category,
    q,
    ...dates(query).sent,
    limit,
    page,
  };
  const sent = Object.entries(parameters).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, `${value}`]],
  );
  return `/v1/events?${new URLSearchParams(sent)}`;
}

// spec: 4.9 GET /v1/events: combination of all filters
test('list: ids and total equal those of a plain filter, for random combinations of filters', async () => {
  const events: CreatedEvent[] = [];
  // Creates 50 events at a time. On a slow machine, all at once would exceed the request timeout.
  const samples = sample();
  while (samples.length > 0) events.push(...(await Promise.all(samples.splice(0, 50).map(createSample))));
  let nonEmpty = 0;
  const property = fc.asyncProperty(anyQuery, async (query) => {
    const ids = expected(events, query);
    const { body } = expectStatus(
      await api.get(address(query), query.signedIn ? viewer.token : undefined),
      200,
    );
    const from = (query.page - 1) * query.limit;
    assert.deepEqual(body.meta, { total: ids.length, page: query.page, limit: query.limit });
    assert.deepEqual(
      body.data.map((event: { id: string }) => event.id),
      ids.slice(from, from + query.limit),
    );
    nonEmpty += Number(ids.length > 0);
  });
  await fc.assert(property, { numRuns: often(300, 60), seed });
  // The seed decides: it is not a matter of luck.
  assert.ok(nonEmpty > often(60, 5), `only ${nonEmpty} of the queries have results`);
});
