/** The map of a search. */
import { type Client, type EventCluster, getEventMap } from '@potluck/client';
import { type Box, boxAround, fitBox, formatBox, uniteBoxes } from '#lib/discovery/mercator.ts';
import type { Search } from '#lib/discovery/search.ts';
import { load } from '#lib/server/problems.ts';
import { toFilters } from './filters.ts';

/** In units of the drawing: small enough that the clusters can be touched on a phone. */
const drawingSize = { width: 400, height: 320 };

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
