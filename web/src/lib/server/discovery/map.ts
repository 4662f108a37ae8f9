/** The map of a search. */
import { type Client, type EventCluster, getEventMap, type ListedEvent, listEvents } from '@potluck/client';
import { type Box, boxAround, fitBox, formatBox, uniteBoxes } from '#lib/discovery/mercator.ts';
import { boxOfCluster } from '#lib/discovery/pins.ts';
import type { Search } from '#lib/discovery/search.ts';
import { load } from '#lib/server/problems.ts';
import { toFilters } from './filters.ts';
import { mergeClusters } from './merge-clusters.ts';

/** In units of the drawing: small enough that the clusters can be touched on a phone. */
const drawingSize = { width: 400, height: 320 };

/** `events`: the single ones, as far as they are among the first of the map. */
export type MapOfEvents = { box: Box; clusters: EventCluster[]; events: ListedEvent[] };

const world = { west: -180, south: -85, east: 180, north: 85 };
/** Land without Antarctica, where a map begins that has no events. */
const inhabited = { west: -165, south: -50, east: 175, north: 70 };
/** A map of many events begins where most of them are: a few far away would make all others one cluster. */
const [manyEvents, mostEvents] = [20, 0.8];
/** The cells among which the largest are found are smaller than those of the map, by so many zooms. */
const finer = 2;
/** Of the API. */
const maxZoom = 22;

/** The map of a search, and its single events. */
export async function loadMap(api: Client, search: Search): Promise<MapOfEvents> {
  const { box, zoom } = await viewOf(api, search);
  // Of smaller cells, only those that touch each other become one: the others keep their places, and single events.
  const cells = await clustersIn(api, search, { box, zoom: Math.min(zoom + 1, maxZoom) });
  const clusters = mergeClusters(cells, zoom);
  return { box, clusters, events: await loadSingle(api, { ...search, box }, clusters) };
}

type View = { box: Box; zoom: number };

async function clustersIn(api: Client, search: Search, { box, zoom }: View): Promise<EventCluster[]> {
  const query = { ...toFilters(search), bbox: formatBox(box), zoom };
  return (await load(getEventMap({ client: api, query }))).data;
}

const fit = (box: Box): View => fitBox(box, drawingSize.width, drawingSize.height);

/** What the map of a search shows first: the chosen box, or where most events are. */
export async function viewOf(api: Client, search: Search): Promise<View> {
  if (search.box) return { box: search.box, zoom: search.zoom ?? fit(search.box).zoom };
  const area = search.near
    ? boxAround(search.near, search.radius)
    : uniteBoxes((await clustersIn(api, search, { box: world, zoom: 3 })).map(boxOfCluster));
  if (!area) return fit(inhabited);
  const { box, zoom } = fit(search.near ? area : padBox(area));
  const cells = await clustersIn(api, search, { box, zoom: Math.min(zoom + finer, maxZoom) });
  const dense = uniteBoxes(largest(cells));
  return dense ? fit(padBox(dense)) : { box, zoom };
}

const mostNamed = 50;

/** The events that are no clusters: their pins show the category. */
async function loadSingle(api: Client, search: Search, clusters: EventCluster[]): Promise<ListedEvent[]> {
  const query = { ...toFilters(search), order: search.order, limit: mostNamed };
  const { data } = await load(listEvents({ client: api, query }));
  const single = new Set(clusters.map(({ eventId }) => eventId));
  return data.filter(({ id }) => single.has(id)).map((event) => ({ ...event, description: '' }));
}

/** The boxes of the largest clusters, which have most of the events together. */
function largest(clusters: EventCluster[]): Box[] {
  const total = clusters.reduce((sum, { count }) => sum + count, 0);
  let wanted = total < manyEvents ? total : mostEvents * total;
  return clusters
    .filter(({ count }) => {
      const isWanted = wanted > 0;
      wanted -= count;
      return isWanted;
    })
    .map(boxOfCluster);
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
