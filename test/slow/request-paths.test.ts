/** The files whose code two requests run: what one must read to follow them. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createEvent, createItem, createUser } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const root = path.join(import.meta.dirname, '..', '..');
const session = new Session();
session.connect();

/** Runs `request`, and returns the files of the server of which at least one function has run. */
async function measureFiles(request: () => Promise<unknown>): Promise<string[]> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await request();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return result
    .filter(
      ({ url, functions }) => url.startsWith('file:') && functions.some(({ ranges }) => ranges[0]?.count),
    )
    .map(({ url }) => path.relative(root, fileURLToPath(url)))
    .filter((file) => /^(src|packages)\//.test(file))
    .sort();
}

/** The names in the section of architecture.md. */
async function readDocumented(): Promise<Set<string>> {
  const text = await readFile(path.join(root, 'docs', 'architecture.md'), 'utf8');
  const [, section = ''] = text.split('## The path of a request');
  const names = (section.split('\n## ', 1)[0] ?? '').matchAll(/`(?:[a-z-]+\/)*([a-z-]+)(?:\.ts)?`/g);
  return new Set(Array.from(names, ([, name = '']) => name));
}

test('request paths: a claim and a list run at most 50 and 54 files, which architecture.md names', async () => {
  const api = await startTestApp({ env: { RATE_LIMIT: '10000' } });
  const [organizer, guest] = [await createUser(api), await createUser(api)];
  const { id } = await createEvent(api, organizer);
  expectStatus(await api.post(`/v1/events/${id}/rsvp`, guest.token, { status: 'going' }), 200);
  const items: string[] = [];
  for (let i = 0; i < 5; i++) items.push((await createItem(api, organizer, id)).id);
  const requests = {
    claim: async (i: number) =>
      expectStatus(await api.post(`/v1/items/${items[i]}/claim`, guest.token, { quantity: 1 }), 201),
    list: async () =>
      expectStatus(await api.get('/v1/events?lat=59.9&lng=10.7&category=food', guest.token), 200),
  };
  await session.post('Profiler.enable');
  // First requests load and compile, and the index is loaded after the start.
  for (let i = 0; i < 2; i++) {
    await requests.claim(i);
    await requests.list();
    await sleep(500);
  }
  const documented = await readDocumented();
  for (const [name, most] of [
    ['claim', 50],
    ['list', 54],
  ] as const) {
    // What runs each time: timers run code of other files meanwhile.
    const runs: string[][] = [];
    for (const i of [2, 3, 4]) runs.push(await measureFiles(() => requests[name](i)));
    const [first = [], ...others] = runs;
    const files = first.filter((file) => others.every((other) => other.includes(file)));
    assert.ok(files.length > 30, `${files.length} files`);
    assert.ok(files.length <= most, `${name}: ${files.length} files\n${files.join('\n')}`);
    assert.deepEqual(
      files.filter((file) => !documented.has(path.basename(file, '.ts'))),
      [],
    );
  }
});
