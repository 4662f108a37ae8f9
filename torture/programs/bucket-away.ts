import { setTimeout as sleep } from 'node:timers/promises';
import { onePixelPng } from '../../test/support/factories.ts';
import { s3Env, startS3Stub } from '../../test/support/s3-stub.ts';
import { quantile, runConcurrently } from '../client.ts';
import { countValues } from '../counts.ts';
import type { Environment, Person } from '../environment.ts';
import { createEvent } from '../factories.ts';
import type { Program } from '../program.ts';
import { openProxy } from '../proxy.ts';

/** The image routes wait for the bucket for longer than other routes wait for the database. */
const maxImageMs = 20_000;
const maxRecoveryMs = 5_000;
/** Every p99 up to this limit passes. */
const grantedMs = 25;

type Sent = { ms: number; status: number; hasRetryAfter: boolean };

export const bucketAway: Program = {
  name: 'bucket-away',
  expectation:
    'the bucket of the images slow, failing, refusing connections and silent, 30 s each: image routes get a 2xx or a ' +
    '503 with Retry-After within 20 s, no other request fails and their p99 at most doubles or stays below 25 ms, no ' +
    'acknowledged image is lost, uploads succeed again within 5 s',
  async run({ size, startEnvironment, progress, addCleanup }) {
    const ms = size(30_000, 5_000);
    const stub = await startS3Stub();
    const proxy = await openProxy(stub.port);
    addCleanup(async () => {
      proxy.close();
      stub.close();
    });
    const environment = await startEnvironment({ env: s3Env(`http://127.0.0.1:${proxy.port}`) });
    const people = await environment.people(40);
    const [person] = people;
    if (!person) throw new Error('no people were created');
    const event = await createEvent(environment, person);
    const images = startImages(environment, people);
    await measureOthers(environment, person, event, sleep(1_000));
    const before = await measureOthers(environment, person, event, sleep(ms));
    const during: Sent[] = [];
    const phases: string[] = [];
    const recoveryMs: number[] = [];
    const inPhase = async (name: string, begin: () => void, end: () => void) => {
      progress(name);
      const from = images.uploads.length + images.reads.length;
      begin();
      during.push(...(await measureOthers(environment, person, event, sleep(ms))));
      end();
      recoveryMs.push(await untilUploaded(environment, people));
      phases.push(`${name} (${images.uploads.length + images.reads.length - from})`);
    };
    const unset = () => proxy.setFault({});
    await inPhase('slow', () => proxy.setFault({ delayMs: 1_500 }), unset);
    await inPhase(
      'failing',
      () => stub.setFailing(true),
      () => stub.setFailing(false),
    );
    await inPhase(
      'refusing',
      () => {
        proxy.setFault({ closesNewConnections: true });
        proxy.reset();
      },
      unset,
    );
    await inPhase('silent', () => proxy.setFault({ isBlackHole: true }), unset);
    await images.stop();
    const sent = [...images.uploads, ...images.reads];
    const unexpected = sent.filter(
      ({ status, hasRetryAfter }) => !(status === 503 ? hasRetryAfter : [200, 201].includes(status)),
    );
    const refused = sent.filter(({ status }) => status === 503).length;
    const lost = await countLost(environment, images.urls);
    const failed = [...before, ...during].filter(({ status }) => status !== 200);
    const p99Of = (all: Sent[]) =>
      quantile(
        all.map((each) => each.ms),
        0.99,
      );
    const slowest = Math.max(...sent.map((each) => each.ms));
    return {
      result:
        `${sent.length} image requests, ${refused} of them 503 with Retry-After, ${unexpected.length} unexpected ` +
        `${JSON.stringify(countValues(unexpected.map(({ status }) => status)))}, the slowest ${Math.round(slowest)} ms ` +
        `[${phases.join(', ')}]; ${lost} of ${images.urls.length} images lost; uploads succeed after ` +
        `${recoveryMs.map((each) => Math.round(each)).join(', ')} ms; other requests: ${failed.length} of ` +
        `${before.length + during.length} failed, p99 ${p99Of(before).toFixed(1)} ms before, ${p99Of(during).toFixed(1)} ms during`,
      ok:
        refused > 0 &&
        unexpected.length + lost + failed.length === 0 &&
        images.urls.length > 20 &&
        slowest < maxImageMs &&
        Math.max(...recoveryMs) < maxRecoveryMs &&
        p99Of(during) <= Math.max(2 * p99Of(before), grantedMs),
    };
  },
};

async function uploadOne({ client }: Environment, person: Person) {
  const since = performance.now();
  const response = await client
    .send('POST', '/v1/uploads', {
      token: person.token,
      raw: onePixelPng,
      headers: { 'content-type': 'image/png' },
    })
    .catch(() => null);
  const hasRetryAfter = response?.headers['retry-after'] !== undefined;
  return { response, sent: { ms: performance.now() - since, status: response?.status ?? 0, hasRetryAfter } };
}

/** Uploads and reads images continuously, four requests at a time. */
function startImages(environment: Environment, people: Person[]) {
  const state = { isOver: false, turn: 0 };
  const [uploads, reads, urls] = [[] as Sent[], [] as Sent[], [] as string[]];
  const next = () => people[state.turn++ % people.length] ?? { id: '', token: '' };
  const uploadRepeatedly = async () => {
    while (!state.isOver) {
      const { response, sent } = await uploadOne(environment, next());
      uploads.push(sent);
      if (response?.status === 201) urls.push(new URL(response.body.url).pathname);
      await sleep(100);
    }
  };
  const readRepeatedly = async () => {
    for (let n = 0; !state.isOver; n++) {
      await sleep(100);
      const url = urls[n % urls.length];
      if (url) reads.push(await readOne(environment, url));
    }
  };
  const done = Promise.all([uploadRepeatedly(), uploadRepeatedly(), readRepeatedly(), readRepeatedly()]);
  return {
    uploads,
    reads,
    urls,
    async stop() {
      state.isOver = true;
      await done;
    },
  };
}

async function readOne({ client }: Environment, path: string, token?: string): Promise<Sent> {
  const since = performance.now();
  const response = await client.send('GET', path, token ? { token } : {}).catch(() => null);
  const hasRetryAfter = response?.headers['retry-after'] !== undefined;
  return { ms: performance.now() - since, status: response?.status ?? 0, hasRetryAfter };
}

/** Reads routes that need no bucket until `end` resolves. */
async function measureOthers(
  environment: Environment,
  { token }: Person,
  event: string,
  end: Promise<unknown>,
): Promise<Sent[]> {
  const state = { isOver: false };
  const over = end.then(() => {
    state.isOver = true;
  });
  const sent: Sent[] = [];
  const paths = ['/v1/events?limit=20', `/v1/events/${event}`, '/v1/auth/me', '/readyz'];
  for (let n = 0; !state.isOver; n++) {
    sent.push(await readOne(environment, paths[n % paths.length] ?? '', token));
    await sleep(5);
  }
  await over;
  return sent;
}

/** @returns the ms until an upload succeeds on both servers, or infinity */
async function untilUploaded(environment: Environment, people: Person[]): Promise<number> {
  const since = performance.now();
  while (performance.now() - since < 30_000) {
    const person = people.at(-1 - Math.floor(Math.random() * 10));
    if (!person) throw new Error('no people were created');
    const results = [await uploadOne(environment, person), await uploadOne(environment, person)];
    if (results.every(({ response }) => response?.status === 201)) return performance.now() - since;
    await sleep(50);
  }
  return Number.POSITIVE_INFINITY;
}

async function countLost({ client }: Environment, urls: string[]): Promise<number> {
  const statuses = await runConcurrently(urls.length, 8, async (i) => {
    const { status } = await client.send('GET', urls[i] ?? '');
    return status;
  });
  return statuses.filter((status) => status !== 200).length;
}
