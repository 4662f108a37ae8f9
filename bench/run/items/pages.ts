/** Pages. P1: an event, for visitors who are not signed in. P2: the front page with filters. P3: an event, signed in. */
import { newLastingToken } from '../../../src/identity/tokens.ts';
import { type Random, randomOf } from '../../../test/support/random.ts';
import { idOf, userCount } from '../../seed/ids.ts';
import { type Environment, randomEvents, type WorkItem } from '../environment.ts';
import { categories, type EventSource, readEventSource } from './varied.ts';

const pathsOfEvents = (environment: Environment, count: number, seed: number) =>
  randomEvents(environment, count, seed, (kind) => kind !== 'private').map((n) => `/e/${idOf('event', n)}`);

const get = (path: string) => ({ method: 'GET' as const, path });

const periods = ['today', 'weekend', 'week'];

/** Each filter in half of the requests. */
function filteredPath(random: Random, { titles, places }: EventSource): string {
  const { lat, lng } = random.pick(places);
  const filters = {
    q: random.pick(titles).toLowerCase().split(' ')[0] ?? '',
    category: random.pick(categories),
    when: random.pick(periods),
    near: `${lat.toFixed(3)},${lng.toFixed(3)}`,
  };
  const chosen = Object.entries(filters).filter(() => random.below(2) === 0);
  return `/?${new URLSearchParams(chosen)}`;
}

const sessionCount = 200;

/** Sessions of browsers, which end with the dataset. @returns the tokens of their cookies */
async function addSessions({ sql, dataset }: Environment): Promise<string[]> {
  const random = randomOf(24);
  const endsAt = new Date(dataset.day.getTime() + 60 * 86_400_000);
  const tokens: string[] = [];
  for (let i = 0; i < sessionCount; i++) {
    const ids = { userId: idOf('user', 1 + random.below(userCount)), sessionId: crypto.randomUUID() };
    const { token, hash } = newLastingToken('browser', ids);
    await sql`
      insert into sessions (user_id, id, access_hash, refreshed_at, access_expires_at, refresh_expires_at, ends_at,
        user_agent, created_at)
      values (${ids.userId}, ${ids.sessionId}, ${hash}, now(), ${endsAt}, ${endsAt}, ${endsAt}, 'bench', now())`;
    tokens.push(token);
  }
  return tokens;
}

const eventPages = (variant: string, count: number, seed: number): WorkItem => ({
  item: 'P1',
  variant,
  bestPeer: null,
  prepare: async (environment) => ({
    requests: pathsOfEvents(environment, count, seed).map(get),
    candidates: [],
  }),
});

export const pages: WorkItem[] = [
  eventPages('1,000 events in turn', 1_000, 20),
  eventPages('random events', 100_000, 21),
  {
    item: 'P2',
    variant: 'front page, random filters',
    bestPeer: null,
    async prepare(environment) {
      const random = randomOf(22);
      const source = await readEventSource(environment);
      const requests = Array.from({ length: 20_000 }, () => get(filteredPath(random, source)));
      return { requests, candidates: [] };
    },
  },
  {
    item: 'P3',
    variant: 'random events, signed in',
    bestPeer: null,
    async prepare(environment) {
      const random = randomOf(23);
      const tokens = await addSessions(environment);
      const requests = pathsOfEvents(environment, 20_000, 23).map((path) => ({
        ...get(path),
        token: random.pick(tokens),
      }));
      return { requests, candidates: [] };
    },
  },
];
