/** The client in Chromium, on a page of another origin than the API. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { build } from 'rolldown';
import { findChromium } from '../../../test/support/chromium.ts';
import { eventBody, nextPhone, onePixelPng } from '../../../test/support/factories.ts';
import { startTestApp } from '../../../test/support/setup.ts';
import { startProxy } from '../proxy.ts';

const chromium = findChromium();

/** What the page asks the test to do, by path. A text that is returned is the response. */
type Actions = Record<string, () => unknown>;

/** Serves browser-page.ts, and resolves `result` with what the page reports. */
async function startPage(actions: Actions) {
  const { output } = await build({
    input: path.join(import.meta.dirname, 'browser-page.ts'),
    platform: 'browser',
    write: false,
    logLevel: 'silent',
    output: { format: 'esm' },
  });
  const html = `<!doctype html><script type="module">${output[0].code}</script>`;
  const { promise: result, resolve } = Promise.withResolvers<unknown>();
  const server = http.createServer(async (request, response) => {
    const { url = '' } = request;
    if (url === '/result') resolve(JSON.parse(await text(request)));
    response.setHeader('content-type', url === '/' ? 'text/html; charset=utf-8' : 'application/json');
    const body = url === '/' ? html : actions[url]?.();
    response.end(typeof body === 'string' ? body : 'null');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, result, close: () => server.close().closeAllConnections() };
}

/** Runs `work` while a new browser, the program `chromium`, shows `url`. */
async function withBrowser<T>(chromium: string, url: string, work: () => Promise<T>): Promise<T> {
  const profile = await mkdtemp(path.join(os.tmpdir(), 'potluck-browser-'));
  // The sandbox of Chromium does not start under root.
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  const browser = spawn(
    chromium,
    [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, url],
    {
      stdio: 'ignore',
    },
  );
  try {
    return await work();
  } finally {
    browser.kill('SIGKILL');
    await once(browser, 'exit');
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

test('browser: one refresh for two tabs, one event after a lost response, live events after a cut connection', {
  skip: !chromium && 'needs Chromium',
  timeout: 60_000,
}, async () => {
  assert.ok(chromium);
  const api = await startTestApp();
  const proxy = await startProxy(api.url);
  const image = `data:image/png;base64,${onePixelPng.toString('base64')}`;
  const page = await startPage({
    '/settings': () => JSON.stringify({ baseUrl: proxy.url, phone: nextPhone(), event: eventBody(), image }),
    '/expire': () => api.clock.advance(31 * 60_000),
    '/drop': () => proxy.dropNextResponse('POST /v1/events '),
    '/cut': () => proxy.cut(),
  });
  const result = await withBrowser(chromium, page.url, () => page.result).finally(page.close);
  assert.deepEqual(result, {
    events: 1,
    going: [0, 1],
    uploaded: true,
    refusedAs: 'image_invalid',
    isSignedIn: false,
  });
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  const count = (route: string) =>
    metrics.match(
      `potluck_request_seconds_count{method="POST",route="${route}",status="20[01]"} (\\d+)`,
    )?.[1];
  assert.deepEqual([count('/v1/auth/refresh'), count('/v1/events')], ['1', '2']);
});
