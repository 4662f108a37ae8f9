/**
 * Sends valid requests that are expensive, each different from the others, in a separate process, so that they do not
 * slow down the measuring one.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../test/support/random.ts';

export type Attack = {
  url: string;
  token: string;
  /** Ids of the events that the person with the token organizes. */
  eventIds: string[];
  userIds: string[];
  /** Single characters that begin words of the events. */
  characters: string[];
  requestsPerSecond: number;
  ms: number;
};
export type AttackResult = {
  requests: number;
  distinct: number;
  /** Requests with another status than 200; 0 stands for a broken connection. */
  failures: { status: number; request: string }[];
};

type Sent = { method: string; path: string; body?: string };

const connections = 8;
/** More than these are not reported. */
const maxFailures = 20;

/** Random texts of up to 10,000 characters, without spaces. */
const textOf = (pick: () => string, length: number): string => Array.from({ length }, () => pick()).join('');

process.once('message', async (attack: Attack) => {
  const result = await run(attack);
  process.send?.(result);
  process.disconnect?.();
});

async function run({ url, token, requestsPerSecond, ms, ...targets }: Attack): Promise<AttackResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const seen = new Set<string>();
  const result: AttackResult = { requests: 0, distinct: 0, failures: [] };
  const create = createRequests(targets);
  const since = performance.now();
  const send = ({ method, path, body }: Sent, isSignedIn: boolean) =>
    new Promise<number>((resolve) => {
      const headers = {
        ...((isSignedIn || body !== undefined) && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      };
      const sent = request(url + path, { agent, method, headers });
      sent.once('error', () => resolve(0));
      sent.once('response', (response) => {
        response.resume();
        response.once('error', () => resolve(0));
        response.once('close', () => resolve(response.statusCode ?? 0));
      });
      sent.end(body);
    });
  const sendRepeatedly = async () => {
    while (performance.now() - since < ms) {
      const next = create();
      const text = `${next.method} ${next.path} ${next.body ?? ''}`;
      seen.add(text.slice(0, 400));
      const n = result.requests++;
      const status = await send(next, n % 2 === 0);
      if (status !== 200 && result.failures.length < maxFailures)
        result.failures.push({ status, request: text.slice(0, 600) });
      await sleep(Math.max(since + (n / requestsPerSecond) * 1_000 - performance.now(), 0));
    }
  };
  await Promise.all(Array.from({ length: connections }, sendRepeatedly));
  agent.destroy();
  return { ...result, distinct: seen.size };
}

function createRequests({
  eventIds,
  userIds,
  characters,
}: Pick<Attack, 'eventIds' | 'userIds' | 'characters'>) {
  const { next, below, pick } = randomOf(20_261_123);
  const time = () =>
    new Date(Date.UTC(1900 + below(8_000), below(12), below(28), below(24), 0, 0, below(1_000)));
  const place = () => `lat=${next() * 180 - 90}&lng=${next() * 360 - 180}`;
  const slice = () => `page=${1 + below(pick([3, 30, 2 ** 31 - 1]))}&limit=${pick([1, 5, 10, 20, 20, 50])}`;
  const character = () => pick(characters);
  const longSearch = () =>
    Array.from({ length: 100 }, () => pick([character(), character(), String(below(10))])).join(' ');
  const list = (filters: string) => ({ method: 'GET', path: `/v1/events?${filters}&${slice()}` });
  const search = (q: string) =>
    list(`q=${encodeURIComponent(q.slice(0, 200).toWellFormed())}&dateFrom=1900-01-01`);
  const kinds: (() => Sent)[] = [
    () => list(`dateFrom=${time().toISOString()}`),
    () => list(`dateTo=${time().toISOString()}`),
    () => search(textOf(character, 200)),
    () => search(longSearch()),
    () => ({ method: 'GET', path: `/v1/events/search?q=${encodeURIComponent(character())}&${slice()}` }),
    () => ({ method: 'GET', path: `/v1/events/search?q=${encodeURIComponent(longSearch().slice(0, 199))}` }),
    () => list(`${place()}&radius=20000&q=${encodeURIComponent(character())}&dateFrom=1900-01-01`),
    () => list(`${place()}&radius=${10 ** (next() * 4.9 - 0.6)}&dateTo=9999-12-31`),
    () => ({ method: 'GET', path: `/v1/events/${pick(eventIds)}` }),
    () => ({
      method: 'GET',
      path: `/v1/users/${pick(userIds)}/events?limit=${1 + below(50)}&when=${pick(['past', 'upcoming'])}`,
    }),
  ];
  const change = (): Sent => ({
    method: 'PATCH',
    path: `/v1/events/${pick(eventIds)}`,
    body: JSON.stringify({
      title: `${character()} ${below(1e9)}`,
      description: textOf(character, pick([10, 1_000, 10_000])),
    }),
  });
  return (): Sent => (next() < 0.02 ? change() : pick(kinds)());
}
