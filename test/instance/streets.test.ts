/** The streets of the map, which admins choose and servers download. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { loadStreets } from '../../src/modules/instance/streets/load-streets.ts';
import { createAdmin, fromPage, signInBrowser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';
import { startStreetServer, town } from '../support/street-server.ts';

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'potluck-streets-'));
after(() => rmSync(dataDir, { recursive: true }));
const address = await startStreetServer();
const clock = new TestClock();
const env = { DATA_DIR: dataDir };
const api = await startTestApp({ pages: true, env, clock });
const admin = await createAdmin(api);
const readState = async () => expectStatus(await api.get('/v1/admin/settings', admin.token), 200).body;
const choose = async (streets: object | null) =>
  expectStatus(await api.patch('/v1/admin/settings', admin.token, { streets }), 200).body;
const logged: { reason?: string }[] = [];
const log = { info: () => {}, warn: (fields: { reason: string }) => void logged.push(fields) };

/** What servers repeat every few seconds. */
async function load(map: string) {
  const config = readConfig({ ...env, STREETS_FROM: `${address}/${map}` });
  const instance = { settings: readState };
  await loadStreets({ db: api.sql, instance, config, clock: clock.now, log } as never);
}
const mapOf = async () => (await fetch(`${api.url}/?view=map`)).text();
const hasTiles = (page: string) => page.includes('/map/streets.pmtiles');

test('streets: a failure says why, is tried again after ten minutes, and the map has them without a restart', async () => {
  assert.deepEqual((await readState()).streetsState, { state: 'none', percent: 0, reason: '' });
  assert.equal(hasTiles(await mapOf()), false);
  const chosen = await choose(town);
  assert.deepEqual([chosen.streets, chosen.streetsState.state], [town, 'waiting']);
  await load('no-streets.pmtiles');
  const failed = (await readState()).streetsState;
  assert.equal(failed.state, 'failed');
  assert.match(failed.reason, /no-streets\.pmtiles is not a map with the layers of the Protomaps basemap/);
  assert.equal(logged.length, 1);
  // The next runs wait, and the failure stays in sight.
  await load('world.pmtiles');
  assert.equal((await readState()).streetsState.state, 'failed');
  clock.advance(10 * 60_000);
  await load('world.pmtiles');
  assert.deepEqual((await readState()).streetsState.state, 'ready');
  assert.equal(hasTiles(await mapOf()), true);
  const response = await fetch(`${api.url}/map/streets.pmtiles`, { headers: { range: 'bytes=0-6' } });
  assert.equal(await response.text(), 'PMTiles');
});

test('streets: those of another town take their place; without a town, they stay', async () => {
  const other = { name: 'Kungsbacka', lat: town.lat + 0.01, lng: town.lng };
  assert.equal((await choose(other)).streetsState.state, 'waiting');
  await load('world.pmtiles');
  assert.equal((await readState()).streetsState.state, 'ready');
  const none = await choose(null);
  assert.deepEqual([none.streets, none.streetsState.state], [null, 'ready']);
});

test('streets: 400 naming the field beyond the map; 409 where the operator has set MAP_TILES', async () => {
  const wrong = await api.patch('/v1/admin/settings', admin.token, { streets: { ...town, lat: 89 } });
  assert.equal(expectProblem(wrong, 400, 'invalid_request').body.errors[0].path, 'streets.lat');
  const fixed = await api.startAnother({ env: { MAP_TILES: 'https://maps.example.org/town.pmtiles' } });
  const refused = await fixed.patch('/v1/admin/settings', admin.token, { streets: town });
  assert.equal(expectProblem(refused, 409, 'setting_refused').body.errors[0].path, 'streets');
  const { body } = await fixed.get('/v1/admin/settings', admin.token);
  assert.deepEqual([body.streetsState.state, body.fixed.includes('streets')], ['fixed', true]);
});

test('streets: the form takes the name of a town, and explains a name that is none', async () => {
  const cookie = await signInBrowser(api, admin.phone);
  const send = async (entered: string) => {
    const response = await fetch(`${api.url}/admin/settings?/streets`, {
      method: 'POST',
      body: new URLSearchParams({ town: entered }),
      headers: { ...fromPage, cookie, accept: 'text/html', 'accept-language': 'en' },
    });
    return { status: response.status, text: await response.text() };
  };
  // The first search loads the list of towns, for which a busy machine takes longer than a page may.
  expectStatus(await api.get('/v1/places?q=Xqzwk'), 200);
  const unknown = await send('Xqzwk');
  assert.equal(unknown.status, 400);
  assert.match(unknown.text, /There is no town of this name/);
  assert.match(unknown.text, /value="Xqzwk"/);
  const known = await send('Mölndal');
  assert.equal(known.status, 200);
  assert.match(known.text, /Mölndal: the download begins in a moment/);
  assert.equal((await readState()).streets.name, 'Mölndal');
});
