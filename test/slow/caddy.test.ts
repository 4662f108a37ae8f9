/** Caddy with the configuration of deploy/ in front of a server. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '../support/free-ports.ts';
import { cleanUpAfterTests, createTempDir, serve } from '../support/processes.ts';
import { cloneDatabase } from '../support/test-database.ts';

cleanUpAfterTests();

const isMissing = spawnSync('caddy', ['version']).error !== undefined;
if (isMissing && process.env.CI) throw new Error('caddy must be installed');
const skip = isMissing && 'needs caddy';

/** Starts Caddy, which ends after the tests. @param upstream the host and port of the server */
async function startCaddy(upstream: string): Promise<string> {
  const [port = 0] = await findFreePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const directory = await createTempDir();
  const file = path.join(import.meta.dirname, '..', '..', 'deploy', 'Caddyfile');
  // No certificate, and no port for changes of the configuration.
  const config = `{\n\tadmin off\n\tauto_https off\n}\n${await readFile(file, 'utf8')}`;
  await writeFile(path.join(directory, 'Caddyfile'), config);
  const child = spawn(
    'caddy',
    ['run', '--config', path.join(directory, 'Caddyfile'), '--adapter', 'caddyfile'],
    {
      env: { PATH: process.env.PATH, HOME: directory, SITE: url, UPSTREAM: upstream },
      stdio: 'ignore',
    },
  );
  const ended = once(child, 'close');
  after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  while (!(await fetch(url).catch(() => null))) {
    assert.equal(child.exitCode, null, 'Caddy has ended');
    await sleep(20);
  }
  return url;
}

test('caddy: requests reach the server, and 404 for each spelling of /metrics, which the server itself answers', {
  skip,
}, async () => {
  const server = await serve({ env: { DATABASE_URL: await cloneDatabase(), TRUST_PROXY: 'loopback' } });
  const url = await startCaddy(new URL(server.url).host);
  const statusOf = async (address: string) => (await fetch(address)).status;
  assert.equal(await statusOf(`${url}/healthz`), 200);
  assert.equal(await statusOf(`${url}/v1/events`), 200);
  for (const spelling of ['/metrics', '/metrics?x=1', '/%6detrics', '/metrics/', '//metrics', '/METRICS'])
    assert.equal(await statusOf(url + spelling), 404, spelling);
  assert.equal(await statusOf(`${server.url}/metrics`), 200);
});
