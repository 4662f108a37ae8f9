/** Imports of addresses: what the server connects to, and what it tells of the answers. */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { after } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readConfig } from '../../src/config/config.ts';
import { fetchSource, SourceError } from '../../src/modules/imports/sources/fetch-source.ts';
import { redirectionOf } from '../../src/modules/imports/sources/source-address.ts';
import { calendar, calendarEntry } from '../support/calendar-files.ts';
import { createUser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { createImportClient } from './import-client.ts';

const file = calendar(calendarEntry({ SUMMARY: 'Fetched' }));
const seen: string[] = [];
const server = http.createServer((request, response) => {
  seen.push(request.url ?? '');
  const redirect = (location: string) => response.writeHead(302, { location }).end();
  const [, path = ''] = (request.url ?? '').split('/');
  if (path === 'a.ics') return response.end(file);
  if (path === 'gzip') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(file));
  if (path === 'bomb')
    return response
      .writeHead(200, { 'content-encoding': 'br' })
      .end(brotliCompressSync(Buffer.alloc(20_000_000, 'x')));
  if (path === 'html') return response.end('<html><body>secret words</body></html>');
  if (path === 'missing') return response.writeHead(404).end(file);
  if (path === 'cut') {
    response.writeHead(200, { 'content-length': 100_000 }).write(file);
    return setTimeout(() => response.destroy(), 50);
  }
  const hops = Number(/^hop(\d)$/.exec(path)?.[1] ?? Number.NaN);
  if (hops > 0) return redirect(`/hop${hops - 1}`);
  if (hops === 0) return redirect('/a.ics');
  if (path === 'inside') return redirect('http://127.0.0.1:1/secret');
  if (path === 'metadata') return redirect('http://169.254.169.254/latest/meta-data');
  if (path === 'file') return redirect('file:///etc/passwd');
  return response.destroy();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => server.close());
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const api = await startTestApp({ env: { IMPORT_TEST_ORIGIN: origin } });
const { until, entriesOf } = createImportClient(api);
const person = await createUser(api);
const send = (url: unknown) => api.post('/v1/imports', person.token, { url });
/** Waits until the address has been read, and makes room for the next import. */
async function fetched(url: string) {
  const { id } = expectStatus(await send(url), 202).body;
  const run = await until(person, id, 'review', 'failed');
  const entries = await entriesOf(person, id);
  await api.sql`update import_runs set status = 'done' where status = 'review'`;
  return { run, titles: entries.map(({ event }) => event?.title) };
}

// spec: 6 POST /v1/imports: an address becomes an import
test('import: a calendar is fetched, decompressed and through three redirects', async () => {
  for (const path of ['/a.ics', '/gzip', '/hop2']) {
    const { run, titles } = await fetched(origin + path);
    assert.deepEqual([run.status, titles], ['review', ['Fetched']], path);
  }
  assert.equal((await fetched(`${origin}/hop3`)).run.problem.code, 'source_unreachable');
});

test('import: what is refused, absent, cut or no 200 is one problem; nothing of an answer is shown', async () => {
  const paths = ['/missing', '/cut', '/closed', '/inside', '/metadata', '/file'];
  const problems = [];
  for (const path of paths) problems.push((await fetched(origin + path)).run.problem);
  assert.equal(new Set(problems.map((problem) => JSON.stringify(problem))).size, 1);
  assert.equal(problems[0].code, 'source_unreachable');
  const { problem } = (await fetched(`${origin}/html`)).run;
  assert.equal(problem.code, 'source_unreadable');
  assert.doesNotMatch(JSON.stringify(problem), /secret|127\.0\.0\.1/);
});

test('import: bytes are counted after the decompression', async () => {
  assert.equal((await fetched(`${origin}/bomb`)).run.problem.code, 'payload_too_large');
});

test('import: addresses that are not public are not connected to, however they are written', async () => {
  const { port } = server.address() as AddressInfo;
  const before = seen.length;
  for (const host of [
    ...[
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '10.0.0.1',
      '192.168.0.1',
      '0.0.0.0',
    ],
    ...[
      '169.254.169.254',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[fd00::1]',
    ],
    ...['[2001:db8::1]', '[fe80::1]', '[2001:0:1::1]', '100.64.0.1', '255.255.255.255'],
  ]) {
    const { run } = await fetched(`http://${host}/`);
    assert.equal(run.problem?.code, 'source_unreachable', host);
  }
  assert.equal(seen.length, before);
  for (const url of [`http://localhost:${port}/a.ics`, 'http://127.0.0.1:8080/', 'https://example.org:22/'])
    expectProblem(await send(url), 400, 'invalid_request');
});

test('import: a name is judged by the addresses that the connection uses; redirects never leave https', async () => {
  const { port } = server.address() as AddressInfo;
  const before = seen.length;
  for (const host of ['localhost', '127.0.0.1', '[::ffff:7f00:1]'])
    await assert.rejects(
      fetchSource(new URL(`http://${host}:${port}/a.ics`), { testOrigin: undefined }),
      SourceError,
    );
  assert.equal(seen.length, before);
  const secure = new URL('https://example.org/a.ics');
  assert.equal(redirectionOf(secure, 'http://example.org/a.ics', undefined), null);
  assert.equal(redirectionOf(secure, 'https://user@example.org/', undefined), null);
  assert.equal(redirectionOf(secure, 'https://example.org:8443/', undefined), null);
  assert.equal(redirectionOf(secure, '/b.ics', undefined)?.href, 'https://example.org/b.ics');
});

test('import: 400 at url for a scheme, a port, user information and a syntax that is not allowed', async () => {
  for (const url of [
    ...[
      'ftp://example.org/a',
      'file:///etc/passwd',
      'gopher://example.org',
      'javascript:alert(1)',
      'example.org',
      '',
    ],
    ...['https://user:secret@example.org/', 'https://user@example.org/', 'https://', 'https://exa mple.org/'],
    ...['https://example.org:8443/', 5, null],
  ]) {
    const { body } = expectProblem(await send(url), 400, 'invalid_request');
    assert.equal(body.errors[0].path, 'url', `${url}`);
  }
  expectProblem(await api.post('/v1/imports', person.token, {}), 400, 'invalid_request');
});

test('import: 503 source_busy above 60 fetches of a host in an hour, for all people together', async () => {
  await api.sql`
    insert into import_fetches (host, hour, fetches) values ('busy.example', date_trunc('hour', now()), 60)`;
  const busy = expectProblem(await send('https://busy.example/a.ics'), 503, 'source_busy');
  assert.ok(Number(busy.headers.get('retry-after')) > 0);
});

test('config: in production, the server does not start with IMPORT_TEST_ORIGIN', () => {
  const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://x.example', SECRET_KEY: 'x'.repeat(40) };
  assert.throws(() => readConfig({ ...production, IMPORT_TEST_ORIGIN: origin }), /IMPORT_TEST_ORIGIN/);
  assert.throws(() => readConfig({ IMPORT_TEST_ORIGIN: 'https://example.org' }), /IMPORT_TEST_ORIGIN/);
});
