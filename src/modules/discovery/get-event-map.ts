import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readBox, readEventQuery } from './event-query.ts';
import { type Cluster, maxClusters, unitsPerDegree } from './map/cluster-grid.ts';
import { EventMap, EventMapQuery } from './schemas.ts';
import type { DiscoveryServices } from './services.ts';

export const getEventMap = defineEndpoint({
  method: 'GET',
  path: '/v1/events/map',
  summary: 'Get a map of public events',
  description:
    `The events of GET /v1/events with the same filters that lie in a box, as at most ${maxClusters} clusters, the ` +
    'largest first. A cluster is the events in a cell of a grid. At each zoom, a cell is 64 pixels wide on a map whose ' +
    `world is 256 pixels wide at zoom 0. If more than ${maxClusters} cells have events, the next coarser grid is used ` +
    'until no more do. The counts of all clusters add up to `total`, which is exact.',
  caller: 'optional',
  query: EventMapQuery,
  response: { 200: EventMap },
  etag: 'content',
  compressed: 'text',

  async handler({ caller, query, request }, { findEventMap, clock }: DiscoveryServices) {
    const { zoom, clusters } = await findEventMap({
      query: {
        ...readEventQuery(query, clock()),
        box: readBox(query.bbox),
        collapse: query.collapse === 'series',
      },
      zoom: query.zoom,
      viewer: caller,
      address: request.ip,
    });
    const total = clusters.reduce((sum, { count }) => sum + count, 0);
    return { status: 200, body: { data: clusters.map(present), meta: { total, zoom } } };
  },
});

const present = ({ count, latSum, lngSum, west, south, east, north, eventId }: Cluster) => ({
  lat: mean(latSum, count, south, north),
  lng: mean(lngSum, count, west, east),
  count,
  bbox: [west, south, east, north],
  ...(eventId !== null && { eventId }),
});

/** The mean has six decimals. Coordinates may have more: the bounds make those of a single place exact. */
const mean = (sum: number, count: number, min: number, max: number): number =>
  Math.min(Math.max(Math.round(sum / count) / unitsPerDegree, min), max);
