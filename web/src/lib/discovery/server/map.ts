/** The map of a search. */
import { type Client, type EventCluster, getEventMap, type ListedEvent, listEvents } from '@potluck/client';
import { leastMiddle, manyEvents, middleMargin, middleOf, sum } from '#lib/discovery/middle.ts';
import { boxOfCluster, mapSize, type PinEvent } from '#lib/discovery/pins.ts';
import type { Search } from '#lib/discovery/search.ts';
import { type Box, boxAround, fitBox, formatBox, scaleBox, uniteBoxes } from '#lib/map/mercator.ts';
import { load } from '#lib/server/problems.ts';
import { collapsed, toFilters } from './filters.ts';
import { withShortAddresses } from './short-address.ts';

/** `clusters`: of cells smaller than markers, which the page merges for its size. `events`: the first of them. */
export type MapOfEvents = { box: Box; clusters: EventCluster[]; events: PinEvent[] };

const world = { west: -180, south: -85, east: 180, north: 85 };
/** Land without Antarctica, where a map begins that has no events. */
const inhabited = { west: -165, south: -50, east: 175, north: 70 };
/** Cells are smaller than those of the map, by so many zooms: the page merges those whose markers would touch. */
const finer = 3;
/** Of the API. */
const maxZoom = 22;
const mostOfPage = 50;
/** Of the list, whose events give the pins their categories. */
const namedPages = [1, 2];
/**
 * The least width, in degrees at zoom 0, of the box whose pins are loaded once the visitor moves the map, so that a further
 * move shows pins at once.
 */
const leastWidth = 180;

/**
 * The pins of the first map are those of its box, although it may have room for others: the number beside it and the list
 * are those of the box, too.
 * @param isMoved whether the box is all that the map shows
 */
export async function loadMap(
  api: Client,
  search: Search,
  hasStreets: boolean,
  isMoved: boolean,
): Promise<MapOfEvents> {
  const { box, zoom } = await viewOf(api, search, hasStreets);
  const shown = { ...search, box: isMoved ? scaleBox(box, 1, leastWidth / 2 ** zoom) : box };
  const [clusters, events] = await Promise.all([
    clustersIn(api, shown, { box: shown.box, zoom: zoom + finer }),
    firstEventsIn(api, shown),
  ]);
  return { box, clusters, events };
}

type View = { box: Box; zoom: number };

async function clustersIn(api: Client, search: Search, { box, zoom }: View): Promise<EventCluster[]> {
  const query = { ...toFilters(search), ...collapsed, bbox: formatBox(box), zoom: Math.min(zoom, maxZoom) };
  return (await load(getEventMap({ client: api, query }))).data;
}

async function firstEventsIn(api: Client, search: Search): Promise<PinEvent[]> {
  const query = { ...toFilters(search), ...collapsed, order: search.order, limit: mostOfPage };
  const found: PinEvent[] = [];
  for (const page of namedPages) {
    const { data } = await load(listEvents({ client: api, query: { ...query, page } }));
    found.push(...withShortAddresses(data, '').map(toPinEvent));
    if (data.length < mostOfPage) break;
  }
  return found;
}

const toPinEvent = (event: ListedEvent): PinEvent => ({
  id: event.id,
  title: event.title,
  category: event.category,
  location: event.location,
  startAt: event.startAt,
  endAt: event.endAt,
  timezone: event.timezone,
  allDay: event.allDay,
});

const toView = (box: Box): View => ({ box, zoom: fitBox(box, mapSize.width, mapSize.height).zoom });

/** What the map of a search shows first: the chosen box, or the middle of its events. */
export async function viewOf(api: Client, search: Search, hasStreets: boolean): Promise<View> {
  if (search.box) return { box: search.box, zoom: search.zoom ?? toView(search.box).zoom };
  const area = search.near
    ? boxAround(search.near, search.radius)
    : uniteBoxes((await clustersIn(api, search, { box: world, zoom: 3 })).map(boxOfCluster));
  if (!area) return toView(inhabited);
  const { box, zoom } = toView(search.near ? area : padBox(area));
  const cells = await clustersIn(api, search, { box, zoom: zoom + finer });
  const total = sum(cells);
  if (total === 0) return { box, zoom };
  if (total < manyEvents) return toView(padBox(uniteBoxes(cells.map(boxOfCluster)) ?? box));
  const inMiddle = uniteBoxes(middleOf(cells, total / 3).map(boxOfCluster)) ?? box;
  return toView(scaleBox(inMiddle, middleMargin, leastMiddle[hasStreets ? 'streets' : 'towns']));
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
