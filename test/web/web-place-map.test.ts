/** The picture of the surroundings of an event. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { makeTown, town } from '../../web/e2e/town.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const directory = mkdtempSync(path.join(os.tmpdir(), 'potluck-place-'));
after(() => rmSync(directory, { recursive: true }));
const file = path.join(directory, 'town.pmtiles');
writeFileSync(file, makeTown());

const api = await startTestApp({ pages: true, env: { MAP_TILES: file } });
const organizer = await createUser(api);
const oslo = { address: 'Oslo', lat: 59.91, lng: 10.75 };

async function draw(location: object, query = ''): Promise<string> {
  const { id } = await createEvent(api, organizer, { location });
  const response = await fetch(`${api.url}/e/${id}/map.svg${query}`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'image/svg+xml');
  return response.text();
}

test('place map: 200 with the coast and the names of towns, in the colours of light and dark pages', async () => {
  const light = await draw(oslo);
  assert.match(light, />Oslo<\/text>/);
  assert.match(light, /fill="#edf0e1" fill-rule="evenodd"/);
  assert.doesNotMatch(light, /NaN|undefined/);
  assert.match(await draw(oslo, '?dark'), /fill="#282d27" fill-rule="evenodd"/);
});

test('place map: a place in the file of streets has streets, and one around the antimeridian is drawn', async () => {
  const streets = await draw({ address: 'Nordhavn', ...town });
  assert.match(streets, /stroke="#fffdf9" stroke-width="8"/);
  // The land goes on beyond the edge of the file, and rivers are lines.
  assert.match(streets, /^<svg [^>]+><path fill="#edf0e1" d="M0 0h480v240H0z"\/>/);
  assert.match(streets, /fill="none" stroke="#bfdce6" stroke-width="4"/);
  assert.match(await draw({ address: 'Taveuni', lat: -16.8, lng: 179.99 }), /fill="#edf0e1"/);
  assert.match(await draw({ address: 'Sea', lat: 0, lng: 0 }), /fill="#bfdce6"/);
});

test('place map: 304 for a known picture, and 404 for an event that the visitor may not see', async () => {
  const { id } = await createEvent(api, organizer, { location: oslo });
  const etag = (await fetch(`${api.url}/e/${id}/map.svg`)).headers.get('etag') ?? '';
  const again = await fetch(`${api.url}/e/${id}/map.svg`, { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  assert.equal((await fetch(`${api.url}/e/${draft.id}/map.svg`)).status, 404);
});

test('map picture: 200 with names beside the pins, also around the antimeridian; 404 without a box or a size', async () => {
  const read = (query: string) => fetch(`${api.url}/map-picture.svg?${query}`);
  const area = 'box=10.5,59.8,11,60&size=416,620';
  const plain = await (await read(area)).text();
  assert.match(plain, />Oslo<\/text>/);
  const [, x = '', y = ''] = /<text x="([\d.]+)" y="([\d.]+)"[^>]*>Oslo</.exec(plain) ?? [];
  const covered = await (await read(`${area}&pins=${x},${y},60`)).text();
  assert.doesNotMatch(covered, new RegExp(`<text x="${x}" y="${y}"`));
  assert.match(await (await read(`${area}&dark`)).text(), /fill="#282d27"/);
  assert.match(await (await read('box=177,-18,-179,-16&size=416,620')).text(), /fill="#edf0e1"/);
  const world = await read('box=-180,-85,180,85&size=400,400');
  assert.match(world.headers.get('cache-control') ?? '', /public/);
  assert.doesNotMatch(await world.text(), /NaN|undefined/);
  for (const query of [
    '',
    'box=10,59,11',
    `box=10,59,11,60&size=416`,
    'box=10,59,11,60&size=9,99999',
    'box=1,2,3,4&size=a,b',
  ])
    assert.equal((await read(query)).status, 404, query);
});
