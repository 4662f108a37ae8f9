/** Maps of public events, from the discovery index or, while there is none, from the database. */
import { FairQueue, largestNetworkOf } from '#base';
import type { Box } from '#record-index';
import type { Viewer } from '../../../identity/caller.ts';
import type { EventServices } from '../../events/services.ts';
import type { EventQuery } from '../event-query.ts';
import type { CurrentIndex } from '../memory/current-index.ts';
import type { EventMap } from './cluster-grid.ts';
import { mapBySql } from './sql-map.ts';

export type MapRequest = {
  query: EventQuery & { box: Box };
  zoom: number;
  viewer: Viewer | null;
  /** The address of the client, which shares the server with the others. */
  address: string;
};
export type FindEventMap = (request: MapRequest) => Promise<EventMap>;

/**
 * A map of many events takes some milliseconds of the thread, in slices, and bitmaps until it is complete. So
 * few are computed at a time, and clients take turns.
 */
const indexLimits = { concurrency: 2, maxWaitingPerClient: 100, maxWaiting: 1_000, timeoutMs: 4_500 };

/**
 * @param index null to compute all maps on the database
 * @param statements runs the statements on the database
 */
export function createEventMaps(
  { replicas, people }: EventServices,
  index: CurrentIndex | null,
  statements: FairQueue,
): FindEventMap {
  const maps = new FairQueue(indexLimits);

  return async ({ query, zoom, viewer, address }) => {
    const client = largestNetworkOf(address);
    const hiddenOrganizers = viewer ? await people.blockedBy(viewer.id) : [];
    if (index?.loaded) {
      const map = await maps.run(client, async () =>
        (await index.current())?.map({ ...query, order: 'start', hiddenOrganizers, zoom }),
      );
      if (map) return map;
    }
    return statements.run(client, () =>
      replicas.read((db) => mapBySql(db, { ...query, hiddenOrganizers }, zoom)),
    );
  };
}
