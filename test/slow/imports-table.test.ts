/** The largest table that an import may have. */
import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTable } from '../../src/modules/imports/tables/read-table.ts';
import { createImportClient } from '../imports/import-client.ts';
import { createUser } from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const rows = Array.from({ length: 5_000 }, (_, i) => {
  const [day, minute] = [i % 28, i % 60].map((number) => String(number).padStart(2, '0'));
  return `"Dinner ${i}, for all",2027-03-${String(Number(day) + 1).padStart(2, '0')},18:${minute},"Rådhuset, Göteborg","${'Soup, bread and butter. '.repeat(38)}\n${i}"`;
});
const table = Buffer.from(`Title,Date,Start time,Location,Description\r\n${rows.join('\r\n')}\r\n`);

test('csv: 5,000 rows in almost 5 MB are read in turns of the event loop', async () => {
  assert.ok(table.length > 4_700_000 && table.length <= 5_000_000, String(table.length));
  await readTable(table, {});
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const read = await readTable(table, {});
  delay.disable();
  assert.ok('parsed' in read);
  assert.equal(read.parsed.length, 5_000);
  console.log(`held: p99 ${delay.percentile(99) / 1e6} ms, max ${delay.max / 1e6} ms`);
  // A turn has 5 ms of work; the rest is the collection of garbage, and other processes.
  assert.ok(delay.percentile(90) / 1e6 <= 50);
});

test('csv: 5,000 rows come into the review, and other requests are answered meanwhile', async () => {
  const api = await startTestApp();
  const { send, get, entriesOf } = createImportClient(api);
  const person = await createUser(api);
  const { id } = (await send(person, table, '', { 'content-type': 'text/csv' })).body;
  let run = await get(person, id);
  let slowest = 0;
  for (const end = Date.now() + 240_000; run.status === 'reading' && Date.now() < end; ) {
    const start = performance.now();
    run = await get(person, id);
    slowest = Math.max(slowest, performance.now() - start);
    await sleep(50);
  }
  console.log(`slowest request ${slowest} ms`);
  assert.deepEqual([run.status, run.counts.new + run.counts.doubtful], ['review', 5_000]);
  const [first] = await entriesOf(person, id);
  assert.equal(first?.line, 2);
});
