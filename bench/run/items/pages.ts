/** P1: the page of an event for visitors who are not signed in. Some pages are in the server's cache, see decision 45. */
import { idOf } from '../../seed/ids.ts';
import { type Environment, randomEvents, type WorkItem } from '../environment.ts';

const listedEvents = (environment: Environment, count: number, seed: number) =>
  randomEvents(environment, count, seed, (kind) => kind !== 'private').map((n) => ({
    method: 'GET' as const,
    path: `/e/${idOf('event', n)}`,
  }));

export const pages: WorkItem[] = [
  {
    item: 'P1',
    variant: '1,000 events in turn',
    bestPeer: null,
    prepare: async (environment) => ({ requests: listedEvents(environment, 1_000, 20), candidates: [] }),
  },
  {
    item: 'P1',
    variant: 'random events',
    bestPeer: null,
    prepare: async (environment) => ({ requests: listedEvents(environment, 100_000, 21), candidates: [] }),
  },
];
