import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import type { Server } from '../../test/support/processes.ts';
import { quantile } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import type { Program } from '../program.ts';
import type { SlowReadersResult } from '../slow-readers.ts';

const run = promisify(execFile);
const readers = path.join(import.meta.dirname, '..', 'slow-readers.ts');

/** Every p99 up to this limit passes: the machine alone causes differences of some ms. */
const grantedMs = 15;
/** What the attack may take of the server's main thread, which runs all handlers. */
const grantedShare = 0.33;
const [attackerAddress, victimAddress] = ['127.0.0.2', '127.0.0.3'];

/** Uploads an image of noise, which stays large when it is encoded again. @returns its path */
async function uploadLargeImage({ client }: Environment, { token }: Person): Promise<string> {
  const size = 2_400;
  const raw = { width: size, height: size, channels: 3 as const };
  const jpeg = await sharp(randomBytes(size * size * 3), { raw })
    .jpeg({ quality: 70 })
    .toBuffer();
  const headers = { 'content-type': 'image/jpeg' };
  const { status, body } = await client.send('POST', '/v1/uploads', { token, raw: jpeg, headers });
  if (status !== 201) throw new Error(`the image was not stored: ${JSON.stringify(body)}`);
  return new URL(body.url).pathname;
}

type Watched = { times: number[]; statuses: number[] };

/** Reads a list and an event in turn from the victim's address, eight requests at a time. */
async function watchVictim(server: Server, paths: string[], ms: number): Promise<Watched> {
  const agent = new Agent({ keepAlive: true, localAddress: victimAddress });
  const watched: Watched = { times: [], statuses: [] };
  const until = performance.now() + ms;
  const send = (pathname: string) =>
    new Promise<number>((resolve) => {
      const sent = request(server.url + pathname, { agent, timeout: 10_000 });
      sent.once('timeout', () => sent.destroy());
      sent.once('error', () => resolve(0));
      sent.once('response', (response) => {
        response.resume();
        response.once('close', () => resolve(response.statusCode ?? 0));
      });
      sent.end();
    });
  const sendRepeatedly = async () => {
    for (let i = 0; performance.now() < until; i++) {
      const since = performance.now();
      watched.statuses.push(await send(paths[i % paths.length] ?? '/'));
      watched.times.push(performance.now() - since);
      await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: 8 }, sendRepeatedly));
  agent.destroy();
  return watched;
}

async function runReaders(url: string, connections: number, ms: number): Promise<SlowReadersResult> {
  const { stdout } = await run(process.execPath, [readers, url, attackerAddress, `${connections}`, `${ms}`]);
  return JSON.parse(stdout);
}

/** The seconds for which the main thread of the process has run, and for which it has waited for a processor core. */
async function readMainThread({ child }: Server): Promise<{ run: number; wait: number }> {
  const [run = 0, wait = 0] = (await readFile(`/proc/${child.pid}/schedstat`, 'utf8')).split(' ').map(Number);
  return { run: run / 1e9, wait: wait / 1e9 };
}

/** Watches the victim, and the main thread of the server meanwhile. */
async function watch(server: Server, paths: string[], ms: number) {
  const from = await readMainThread(server);
  const { times, statuses } = await watchVictim(server, paths, ms);
  const to = await readMainThread(server);
  return { p99: quantile(times, 0.99), statuses, run: to.run - from.run, wait: to.wait - from.wait };
}

/** The resident memory of the process. */
async function readMemoryMb({ child }: Server): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024);
}

export const slowReader: Program = {
  name: 'slow-reader',
  expectation:
    '600 connections of one address request images of megabytes and read nothing of them: a client of ' +
    'another address gets no 5xx, and its p99 at most doubles or stays below 15 ms; the attack takes at most a third of the ' +
    'time of the main thread, which alone counts where other work keeps this thread waiting for longer than it runs; stalled ' +
    'connections are closed',
  async run({ size, startEnvironment, progress }) {
    const [connections, ms] = [600, size(60_000, 20_000)];
    const environment = await startEnvironment({ servers: 1 });
    const [person] = await environment.people(1);
    const [server] = environment.servers;
    if (!person || !server) throw new Error('no people were created');
    const events: string[] = [];
    for (let i = 0; i < 20; i++) events.push(await createEvent(environment, person));
    const image = await uploadLargeImage(environment, person);
    const paths = ['/v1/events?limit=20', `/v1/events/${events[0]}`, '/'];
    await watch(server, paths, 3_000);
    const before = await watch(server, paths, size(10_000, 5_000));
    const memoryBefore = await readMemoryMb(server);
    progress('attacking');
    const [attack, during, memoryDuring] = await Promise.all([
      runReaders(server.url + image, connections, ms),
      watch(server, paths, ms),
      sleep(ms - 2_000).then(() => readMemoryMb(server)),
    ]);
    const ofRequests = (before.run / before.statuses.length) * during.statuses.length;
    const share = (during.run - ofRequests) / (ms / 1_000);
    const isMachineBusy = during.wait > during.run;
    const failed = during.statuses.filter((status) => status !== 200);
    return {
      result:
        `p99 of the other client ${before.p99.toFixed(1)} ms before, ${during.p99.toFixed(1)} ms during; the main thread ` +
        `ran for ${during.run.toFixed(1)} s, waited for ${during.wait.toFixed(1)} s, and the attack took ` +
        `${(100 * share).toFixed(0)} % of its time; statuses ` +
        `${JSON.stringify(countValues(during.statuses))}; the attacker got ${JSON.stringify(attack.statuses)}, ` +
        `${attack.closed} connections closed; ${memoryBefore} MB before, ${memoryDuring} MB during`,
      ok:
        failed.length === 0 &&
        (isMachineBusy || during.p99 <= Math.max(2 * before.p99, grantedMs)) &&
        share <= grantedShare &&
        (attack.statuses[200] ?? 0) > 0 &&
        attack.closed > 0,
    };
  },
};
