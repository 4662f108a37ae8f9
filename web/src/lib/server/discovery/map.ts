/** The map of a search. */
import { type Client, type EventCluster, getEventMap } from '@potluck/client';
import { type Box, boxAround, fitBox, formatBox, uniteBoxes } from '#lib/discovery/mercator.ts';
import { boxOfCluster } from '#lib/discovery/pins.ts';
import type { Search } from '#lib/discovery/search.ts';
import { load } from '#lib/server/problems.ts';
import { toFilters } from './filters.ts';
import { mergeClusters } from './merge-clusters.ts';

/** In units of the drawing: small enough that the clusters can be touched on a phone. */
const drawingSize = { width: 400, height: 320 };

export type MapOfEvents = { box: Box; clusters: EventCluster[] };

const world = { west: -180, south: -85, east: 180, north: 85 };
/** Land without Antarctica, where a map begins that has no events. */
const inhabited = { west: -165, south: -50, east: 175, north: 70 };
/** A map of many events begins where most of them are: a few far away would make all others one cluster. */
const [manyEvents, mostEvents] = [20, 0.8];
/** The cells among which the largest are found are smaller than those of the map, by so many zooms. */
const finer = 2;
/** Of the API. */
const maxZoom = 22;

/** The clusters of the map of a search: of the chosen box, or of where most events are. */
export async function loadMap(api: Client, search: Search): Promise<MapOfEvents> {
  const clustersIn = async (box: Box, zoom: number): Promise<EventCluster[]> => {
    const query = { ...toFilters(search), bbox: formatBox(box), zoom };
    return (await load(getEventMap({ client: api, query }))).data;
  };
  const fit = (box: Box) => fitBox(box, drawingSize.width, drawingSize.height);
  const show = async (box: Box, zoom: number) => ({
    box,
    clusters: mergeClusters(await clustersIn(box, zoom), zoom),
  });
  if (search.box) return show(search.box, search.zoom ?? fit(search.box).zoom);
  const area = search.near
    ? boxAround(search.near, search.radius)
    : uniteBoxes((await clustersIn(world, 3)).map(boxOfCluster));
  if (!area) return show(fit(inhabited).box, fit(inhabited).zoom);
  const whole = fit(search.near ? area : padBox(area));
  const dense = uniteBoxes(largest(await clustersIn(whole.box, Math.min(whole.zoom + finer, maxZoom))));
  const { box, zoom } = dense ? fit(padBox(dense)) : whole;
  return show(box, zoom);
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
