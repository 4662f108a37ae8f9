/** A server whose descriptors are used up. It is slow because it is a process of its own. */
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFlood } from '../../torture/flood.ts';
import { cleanUpAfterTests, createTempDir, serve } from '../support/processes.ts';

cleanUpAfterTests();

const limit = 200;

test('metrics: all descriptors are open when there is none to count them with', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, async (t) => {
  const server = await serve({ env: { DATA_DIR: await createTempDir() }, descriptors: limit });
  // Prometheus has a connection from before, too.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const countOpen = () =>
    new Promise<number>((resolve, reject) => {
      get(`${server.url}/metrics`, { agent }, async (response) => {
        resolve(Number(/^process_open_fds (\d+)$/m.exec(await text(response))?.[1]));
      }).once('error', reject);
    });
  assert.ok((await countOpen()) < limit / 2);
  const flood = startFlood(server, 2 * limit);
  t.after(() => flood.stop());
  for (let waited = 0; (await countOpen()) < limit && waited < 20_000; waited += 50) await sleep(50);
  assert.equal(await countOpen(), limit);
});
