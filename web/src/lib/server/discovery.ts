/** Finds the events, the map and the place of a search. */
import {
  type Client,
  type EventCluster,
  getEventMap,
  type ListedEvent,
  listEvents,
  type Place as NamedPlace,
  searchPlaces,
} from '@potluck/client';
import { type Box, boxAround, fitBox, formatBox, uniteBoxes } from '#lib/discovery/mercator.ts';
import { labelOf } from '#lib/discovery/places.ts';
import { hrefOf, type Search } from '#lib/discovery/search.ts';
import { load } from '#lib/server/problems.ts';

export const pageSize = 24;
/** Events that began before the period: a link leads to all of them. */
const runningSize = 3;
/**
 * "Show more" adds so many pages below each other; a later page begins a new list. Rendering a page takes much longer than
 * reading its data, so a list that is loaded as a document begins later.
 */
const maxPages = { ofData: 10, ofDocument: 2 };

/** In units of the drawing: small enough that the clusters can be touched on a phone. */
export const drawingSize = { width: 400, height: 320 };

/** A circle of this radius in km has all events: it gives their distances. */
const wholeEarth = 20_040;

type Filters = NonNullable<Parameters<typeof listEvents>[0]['query']>;

/** Whether the last day is before the first one. */
export const isReversed = ({ when, from, to }: Search): boolean =>
  when === 'range' && from !== '' && to !== '' && to < from;

/** The filters of the API. The dates are left out if they are in the wrong order. */
export function toFilters(search: Search, now = Temporal.Now.instant()): Filters {
  const { q, category, isFree, near, radius, box } = search;
  return {
    ...(q && { q }),
    ...(category && { category }),
    ...(isFree && { isFree }),
    ...(near && { ...near, radius: box ? wholeEarth : radius }),
    ...(box && { bbox: formatBox(box) }),
    ...(!isReversed(search) && toDates(search, now)),
    ...(search.isRunning && begunBefore(firstDayOf(search, now))),
  };
}

const begunBefore = (day: Temporal.ZonedDateTime | null): Pick<Filters, 'startTo'> =>
  day ? { startTo: day.subtract({ milliseconds: 1 }).toInstant().toString() } : {};

function toDates(search: Search, now: Temporal.Instant): Pick<Filters, 'dateFrom' | 'dateTo'> {
  const { when, from, to } = search;
  const zone = zoneOf(search);
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  const between = (first: Temporal.PlainDate | null, last: Temporal.PlainDate | null) => ({
    ...(first && { dateFrom: startOf(first, zone).toString() }),
    ...(last && {
      dateTo: startOf(last.add({ days: 1 }), zone)
        .subtract({ milliseconds: 1 })
        .toString(),
    }),
  });
  switch (when) {
    case 'today':
      return between(today, today);
    case 'week':
      return between(today, today.add({ days: 6 }));
    case 'weekend': {
      const sunday = today.add({ days: 7 - today.dayOfWeek });
      return between(today.dayOfWeek === 7 ? today : sunday.subtract({ days: 1 }), sunday);
    }
    case 'range':
      return between(from ? Temporal.PlainDate.from(from) : null, to ? Temporal.PlainDate.from(to) : null);
    default:
      return {};
  }
}

/**
 * The first day of the period of a search, and today without a period; null for a range that begins before today. Events
 * that began before this day may last for months, so they stand behind those that begin on it.
 */
function firstDayOf(search: Search, now: Temporal.Instant): Temporal.ZonedDateTime | null {
  const zone = zoneOf(search);
  const today = startOf(now.toZonedDateTimeISO(zone).toPlainDate(), zone);
  if (search.when === 'range' && (search.from === '' || isReversed(search))) return null;
  const { dateFrom } = toDates(search, now);
  const first = dateFrom === undefined ? today : Temporal.Instant.from(dateFrom);
  return Temporal.Instant.compare(first, today) < 0 ? null : first.toZonedDateTimeISO(zone);
}

const zoneOf = ({ tz }: Search): string => (isZone(tz) ? tz : Temporal.Now.timeZoneId());

const startOf = (day: Temporal.PlainDate, zone: string): Temporal.Instant =>
  day.toZonedDateTime(zone).toInstant();

function isZone(name: string): boolean {
  try {
    return name !== '' && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

export type EventList = {
  /** By start. Those before `todayCount` begin on the first day of the period. */
  events: ListedEvent[];
  todayCount: number;
  /** The first of the events that began before the period, and the number of all. Empty on later pages. */
  running: { events: ListedEvent[]; total: number };
  /** Of all events, those of `running` included. */
  total: number;
  /** Whether there are events after those of `events`. */
  hasMore: boolean;
  /** The last page of the list before this one; null if this is the first. */
  before: number | null;
};

/** The pages of a search up to its page. @param isDocument whether they are rendered, not only read by scripts */
export async function loadEvents(api: Client, search: Search, isDocument: boolean): Promise<EventList> {
  const now = Temporal.Now.instant();
  const last = (search.page - 1) % maxPages.ofData;
  const first = search.page - (isDocument ? Math.min(last, maxPages.ofDocument - 1) : last);
  const query = { ...toFilters(search, now), order: search.order, limit: pageSize };
  const firstDay = search.order === 'start' && !search.isRunning ? firstDayOf(search, now) : null;
  const read = async (more: Filters) => load(listEvents({ client: api, query: { ...query, ...more } }));
  const startFrom = firstDay && { startFrom: firstDay.toInstant().toString() };
  const [running, ...pages] = await Promise.all([
    firstDay && read({ ...begunBefore(firstDay), limit: runningSize }),
    ...Array.from({ length: search.page - first + 1 }, (_, i) => read({ ...startFrom, page: first + i })),
  ]);
  const { total } = pages.at(-1)?.meta ?? { total: 0 };
  // An event that was added meanwhile moves others to the next page.
  const events = new Map(pages.flatMap(({ data }) => data).map((event) => [event.id, event]));
  const tomorrow = firstDay?.add({ days: 1 }).epochMilliseconds ?? 0;
  return {
    events: [...events.values()].map(withoutDescription),
    todayCount: [...events.values()].filter(({ startAt }) => Date.parse(startAt) < tomorrow).length,
    running: {
      events: first === 1 ? (running?.data ?? []).map(withoutDescription) : [],
      total: running?.meta.total ?? 0,
    },
    total: total + (running?.meta.total ?? 0),
    hasMore: search.page * pageSize < total,
    before: first > 1 ? first - 1 : null,
  };
}

/** Lists do not show descriptions. */
const withoutDescription = (event: ListedEvent): ListedEvent => ({ ...event, description: '' });

export type MapOfEvents = { box: Box; clusters: EventCluster[] };

const world = { west: -180, south: -85, east: 180, north: 85 };
/** Land without Antarctica, where a map begins that has no events. */
const inhabited = { west: -165, south: -50, east: 175, north: 70 };

/** The clusters of the map of a search: of the chosen box, around the place, or of all events. */
export async function loadMap(api: Client, search: Search): Promise<MapOfEvents> {
  const clustersIn = async (box: Box, zoom: number): Promise<EventCluster[]> => {
    const query = { ...toFilters(search), bbox: formatBox(box), zoom };
    return (await load(getEventMap({ client: api, query }))).data;
  };
  const fit = (box: Box) => fitBox(box, drawingSize.width, drawingSize.height);
  if (search.box) {
    const zoom = search.zoom ?? fit(search.box).zoom;
    return { box: search.box, clusters: await clustersIn(search.box, zoom) };
  }
  const wanted = search.near ? boxAround(search.near, search.radius) : await extent(clustersIn);
  const { box, zoom } = fit(wanted);
  return { box, clusters: await clustersIn(box, zoom) };
}

async function extent(clustersIn: (box: Box, zoom: number) => Promise<EventCluster[]>): Promise<Box> {
  const boxes = (await clustersIn(world, 3)).map(({ bbox: [west = 0, south = 0, east = 0, north = 0] }) => ({
    west,
    south,
    east,
    north,
  }));
  const united = uniteBoxes(boxes);
  return united ? padBox(united) : inhabited;
}

/** A margin for the clusters at the edges; a single place gets its surroundings. */
function padBox({ west, south, east, north }: Box): Box {
  const [dLng, dLat] = [Math.max((east - west) * 0.1, 0.05), Math.max((north - south) * 0.1, 0.03)];
  return {
    west: Math.max(west - dLng, -180),
    south: Math.max(south - dLat, -85),
    east: Math.min(east + dLng, 180),
    north: Math.min(north + dLat, 85),
  };
}

export type FoundPlaces = {
  /** The search with the place that was found. */
  search: Search;
  /** Other places with this name. */
  others: { label: string; href: string }[];
  isUnknown: boolean;
};

/** Finds the place of a search by its name: without scripts, the form has a name alone. */
export async function findPlace(api: Client, search: Search): Promise<FoundPlaces> {
  if (search.place === '' || search.near) return { search, others: [], isUnknown: false };
  const name = search.place.split(',')[0]?.trim();
  const { data } = name
    ? await load(searchPlaces({ client: api, query: { q: name, limit: 6 } }))
    : { data: [] };
  const [best, ...others] = data;
  if (!best) return { search, others: [], isUnknown: true };
  const at = (place: NamedPlace): Partial<Search> => ({
    place: labelOf(place),
    near: { lat: place.lat, lng: place.lng },
    box: null,
  });
  return {
    search: { ...search, ...at(best) },
    others: others.map((place) => ({ label: labelOf(place), href: hrefOf(search, at(place)) })),
    isUnknown: false,
  };
}
