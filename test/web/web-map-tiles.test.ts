/** The file of the streets of the map (MAP_TILES) as HTTP sees it. The map has tests in a browser. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { ConfigError } from '../../src/config/config.ts';
import { checkMapTiles } from '../../src/server/web/map-tiles.ts';
import { startTestApp } from '../support/setup.ts';

const directory = mkdtempSync(path.join(os.tmpdir(), 'potluck-tiles-'));
after(() => rmSync(directory, { recursive: true }));

/** A file with the header of PMTiles and random tiles. */
function newFile(bytes = 300_000): { file: string; content: Buffer } {
  const content = randomBytes(bytes);
  content.write('PMTiles\x03', 'latin1');
  content.writeBigUInt64LE(127n, 56);
  content.writeBigUInt64LE(BigInt(bytes - 127), 64);
  content[99] = 1;
  const file = path.join(directory, `${randomBytes(6).toString('hex')}.pmtiles`);
  writeFileSync(file, content);
  return { file, content };
}

const { file, content } = newFile();
const api = await startTestApp({ pages: true, env: { MAP_TILES: file } });
const address = `${api.url}/map/streets.pmtiles`;
const read = (headers: Record<string, string> = {}, method = 'GET') => fetch(address, { method, headers });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

test('streets: 206 with the bytes of a range, also one from the end and one beyond the end', async () => {
  for (const [range, start, end] of [
    ['bytes=0-16383', 0, 16_383],
    ['bytes=250000-250000', 250_000, 250_000],
    ['bytes=299990-', 299_990, 299_999],
    ['bytes=-100', 299_900, 299_999],
    ['bytes=-999999', 0, 299_999],
    ['bytes=299000-99999999', 299_000, 299_999],
  ] as const) {
    const response = await read({ range });
    assert.equal(response.status, 206, range);
    assert.equal(response.headers.get('content-range'), `bytes ${start}-${end}/300000`);
    assert.equal(response.headers.get('content-length'), `${end - start + 1}`);
    assert.ok((await bytesOf(response)).equals(content.subarray(start, end + 1)), range);
  }
});

test('streets: 416 with the size for a range that begins behind the end, and for an empty one', async () => {
  for (const range of ['bytes=300000-', 'bytes=300000-300001', 'bytes=-0', 'bytes=99999999999999999999-']) {
    const response = await read({ range });
    assert.equal(response.status, 416, range);
    assert.equal(response.headers.get('content-range'), 'bytes */300000');
    assert.equal((await bytesOf(response)).length, 0);
  }
});

test('streets: 200 with the whole file without a range, and for ranges that servers may ignore', async () => {
  for (const range of ['', 'bytes=5-2', 'bytes=0-1,4-5', 'bytes=a-b', 'bytes=-', 'items=0-1']) {
    const response = await read(range ? { range } : {});
    assert.equal(response.status, 200, range);
    assert.equal(response.headers.get('accept-ranges'), 'bytes');
    assert.equal(response.headers.get('content-range'), null);
    assert.ok((await bytesOf(response)).equals(content), range);
  }
});

test('streets: HEAD 200 with the size and without a body, also with a range', async () => {
  const response = await read({ range: 'bytes=0-9' }, 'HEAD');
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-length'), '300000');
  assert.equal((await bytesOf(response)).length, 0);
});

test('streets: 304 for the current ETag; If-Range with another one gets the whole file', async () => {
  const first = await read({ range: 'bytes=0-9', 'accept-encoding': 'br, gzip' });
  const etag = first.headers.get('etag') ?? '';
  assert.match(etag, /^"[^"]+"$/);
  assert.match(first.headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
  assert.equal(first.headers.get('content-encoding'), null);
  assert.equal((await read({ 'if-none-match': etag })).status, 304);
  assert.equal((await read({ range: 'bytes=0-9', 'if-range': etag })).status, 206);
  assert.equal((await read({ range: 'bytes=0-9', 'if-range': '"other"' })).status, 200);
});

test('streets: another ETag once the file is replaced; 503 with Retry-After while there is none', async () => {
  const old = newFile();
  const server = await api.startAnother({ pages: true, env: { MAP_TILES: old.file } });
  const tiles = `${server.url}/map/streets.pmtiles`;
  const etag = (await fetch(tiles, { method: 'HEAD' })).headers.get('etag');
  const next = newFile(200_000);
  renameSync(next.file, old.file);
  const response = await fetch(tiles, { headers: { range: 'bytes=1000-1999' } });
  assert.notEqual(response.headers.get('etag'), etag);
  assert.ok((await bytesOf(response)).equals(next.content.subarray(1_000, 2_000)));
  writeFileSync(old.file, '');
  assert.equal((await fetch(tiles)).status, 200);
  for (const range of ['bytes=0-9', 'bytes=-9'])
    assert.equal((await fetch(tiles, { headers: { range } })).status, 416, range);
  rmSync(old.file);
  const missing = await fetch(tiles);
  assert.equal(missing.status, 503);
  assert.ok(Number(missing.headers.get('retry-after')) >= 1);
  assert.ok(!(await missing.text()).includes(directory));
});

test('streets: no path of a client reaches another file', async () => {
  for (const name of ['..%2f..%2fpackage.json', 'streets.pmtiles%2f..', `..%2f${path.basename(file)}`]) {
    assert.equal((await fetch(`${api.url}/map/${name}`)).status, 404, name);
  }
});

test('streets: 404 without MAP_TILES, and with an address of another server', async () => {
  for (const env of [{ MAP_TILES: '' }, { MAP_TILES: 'https://maps.example.org/town.pmtiles' }]) {
    const server = await api.startAnother({ pages: true, env });
    assert.equal((await fetch(`${server.url}/map/streets.pmtiles`)).status, 404);
  }
});

test('rate limit: the ranges of the streets do not count', async () => {
  const limited = await api.startAnother({ pages: true, env: { MAP_TILES: file, RATE_LIMIT: '20' } });
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const headers = { range: `bytes=${i * 100}-${i * 100 + 99}` };
      const response = await fetch(`${limited.url}/map/streets.pmtiles`, { headers });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  assert.deepEqual([...new Set(statuses)], [206]);
  const page = await limited.get('/');
  assert.equal(page.headers.get('ratelimit-remaining'), '19');
});

test('page: an address of another server is allowed on the map alone, and nothing else changes', async () => {
  const policyOf = async (base: string, page: string) => {
    const response = await fetch(base + page);
    assert.equal(response.status, 200);
    const policy = response.headers.get('content-security-policy') ?? '';
    return policy.replaceAll(/'sha256-[^']+'/g, 'HASH');
  };
  const foreign = await api.startAnother({
    pages: true,
    env: { MAP_TILES: 'https://maps.example.org:8443/a;b,$1/town.pmtiles?key=1' },
  });
  const own = await policyOf(api.url, '/?view=map');
  const source = 'https://maps.example.org:8443/a%3Bb%2C$1/town.pmtiles';
  assert.match(own, /connect-src 'self';/);
  assert.equal(
    await policyOf(foreign.url, '/?view=map'),
    own.replace("connect-src 'self'", () => `connect-src 'self' ${source}`),
  );
  for (const page of ['/', '/people', '/sign-in?view=map'])
    assert.ok(!(await policyOf(foreign.url, page)).includes('maps.example.org'), page);
  // A page keeps the policy with which it was loaded, so the link to the map loads a new one.
  assert.match((await foreign.get('/')).body, /<a[^>]+view=map[^>]+data-sveltekit-reload/);
  assert.doesNotMatch((await api.get('/')).body, /<a[^>]+view=map[^>]+data-sveltekit-reload/);
});

test('start: one line that names MAP_TILES and the reason for each file that is no map', async () => {
  const faultOf = async (name: string): Promise<string> => {
    const error = await checkMapTiles({ file: name }).catch((reason: Error) => reason);
    assert.ok(error instanceof ConfigError, name);
    assert.ok(error.message.startsWith(`The file of streets "${name}" `) && !error.message.includes('\n'));
    assert.match(error.message, /MAP_TILES/);
    return error.message;
  };
  const changed = (change: (bytes: Buffer) => Buffer): string => {
    const made = newFile(1_000);
    writeFileSync(made.file, change(made.content));
    return made.file;
  };
  const set = (at: number, value: number) => (bytes: Buffer) => {
    bytes[at] = value;
    return bytes;
  };
  assert.match(await faultOf(path.join(directory, 'none.pmtiles')), /does not exist/);
  assert.match(await faultOf(directory), /is not a file/);
  assert.match(await faultOf(changed(() => Buffer.alloc(0))), /is not a PMTiles file of version 3/);
  assert.match(await faultOf(changed(set(0, 0))), /is not a PMTiles file of version 3/);
  assert.match(await faultOf(changed(set(7, 2))), /is not a PMTiles file of version 3/);
  assert.match(await faultOf(changed(set(99, 2))), /does not contain vector tiles/);
  assert.match(await faultOf(changed((bytes) => bytes.subarray(0, 900))), /is incomplete/);
  if (process.getuid?.() !== 0) {
    const secret = newFile().file;
    chmodSync(secret, 0);
    assert.match(await faultOf(secret), /cannot be read \(EACCES\)/);
  }
  await checkMapTiles({ file });
  await checkMapTiles({ url: 'https://maps.example.org/town.pmtiles' });
  await checkMapTiles({ file: '/nowhere', isDownloaded: true });
});
