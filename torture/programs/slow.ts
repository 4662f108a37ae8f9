import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../client.ts';
import type { Environment } from '../environment.ts';
import { createEvent } from '../factories.ts';
import type { Program } from '../program.ts';

type Kind = 'headers' | 'body' | 'idle';

/**
 * Opens a connection and never completes a request.
 * @returns the ms until the server closed it, or infinity
 */
function openSlowConnection(url: string, kind: Kind, timeoutMs: number): Promise<number> {
  const since = performance.now();
  const { promise, resolve } = Promise.withResolvers<number>();
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  const dripTimer = setInterval(() => socket.writable && kind !== 'idle' && socket.write('a'), 1_000);
  const timeout = setTimeout(() => resolve(Number.POSITIVE_INFINITY), timeoutMs);
  socket.on('error', () => {});
  socket.on('connect', () => {
    if (kind === 'headers') socket.write('GET /v1/events HTTP/1.1\r\nhost: x\r\nx-slow: ');
    if (kind === 'body') {
      socket.write('POST /v1/auth/otp/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n');
      socket.write('content-length: 1000\r\n\r\n{"phone":"');
    }
  });
  socket.resume();
  void promise.then(() => {
    clearInterval(dripTimer);
    clearTimeout(timeout);
    socket.destroy();
  });
  socket.on('close', () => resolve(performance.now() - since));
  return promise;
}

/** The p99 of the response times of other clients, eight at a time, in ms. */
async function measureP99({ client }: Environment, token: string, ms: number): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + ms;
  const sendRepeatedly = async () => {
    while (performance.now() < until) {
      times.push((await client.send('GET', '/v1/events?limit=20', { token })).ms);
      await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: 8 }, sendRepeatedly));
  return quantile(times, 0.99);
}

export const slow: Program = {
  name: 'slow',
  expectation:
    'slow headers, slow bodies and 1,000 idle connections: closed within 12 s, and the p99 of other ' +
    'clients at most doubles',
  async run({ size, startEnvironment }) {
    const [idle, dripping] = [size(1_000, 100), size(200, 20)];
    const environment = await startEnvironment({ servers: 1 });
    const [person] = await environment.people(1);
    const [server] = environment.servers;
    if (!person || !server) throw new Error('no people were created');
    for (let i = 0; i < 20; i++) await createEvent(environment, person);
    await measureP99(environment, person.token, 2_000);
    const before = await measureP99(environment, person.token, 6_000);
    const kinds: Kind[] = [
      ...Array.from({ length: idle }, () => 'idle' as const),
      ...Array.from({ length: dripping }, () => 'headers' as const),
      ...Array.from({ length: dripping }, () => 'body' as const),
    ];
    const closed = Promise.all(kinds.map((kind) => openSlowConnection(server.url, kind, 20_000)));
    await sleep(200);
    const during = await measureP99(environment, person.token, 6_000);
    const times = await closed;
    const latest = (kind: Kind) => Math.max(...times.filter((_, i) => kinds[i] === kind)) / 1_000;
    return {
      result:
        `closed after ${latest('headers').toFixed(1)} s (headers), ${latest('body').toFixed(1)} s (bodies) and ` +
        `${latest('idle').toFixed(1)} s (idle); p99 of other clients ${before.toFixed(1)} ms before, ${during.toFixed(1)} ms during`,
      ok: Math.max(...times) < 12_000 && during <= before * 2,
    };
  },
};
