/** Pictures of maps: the surroundings of an event, and the ground of pins. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { makeTown, town } from '../../web/e2e/town.ts';
import { fitBox } from '../../web/src/lib/map/mercator.ts';
import { startTestApp } from '../support/setup.ts';

const directory = mkdtempSync(path.join(os.tmpdir(), 'potluck-place-'));
after(() => rmSync(directory, { recursive: true }));
const file = path.join(directory, 'town.pmtiles');
writeFileSync(file, makeTown());

const api = await startTestApp({ pages: true });
const withStreets = await startTestApp({ pages: true, env: { MAP_TILES: file } });

async function draw(query: string, { url } = api): Promise<string> {
  const response = await fetch(`${url}/map-picture.svg?${query}`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'image/svg+xml');
  const picture = await response.text();
  assert.doesNotMatch(picture, /NaN|undefined|Infinity/);
  return picture;
}
const drawAt = (lat: number, lng: number, app = api) => draw(`at=${lat},${lng}&size=400,240`, app);

test('map picture: 200 with the coast, the names of towns and distances, in the colours of the page that uses it', async () => {
  const oslo = await drawAt(59.91, 10.75);
  assert.match(oslo, />Oslo<\/text>/);
  assert.match(
    oslo,
    /<g fill="var\(--land\)" fill-rule="evenodd" transform="scale\(0\.1\)"><path d="M[^"]+z"\/>/,
  );
  assert.match(oslo, />2 km<\/text>/);
  assert.match(await drawAt(0, 0), /fill="var\(--water\)"/);
});

test('map picture: a town has the name of the addresses beside the map, and distances are from there', async () => {
  const around = 'box=11.8,57.6,12.15,57.8&size=400,400';
  const plain = await draw(around);
  assert.match(plain, />Gothenburg<\/text>/);
  assert.match(plain, />5 km<\/text>/);
  for (const town of ['Göteborg', 'Saluhallen, Kungstorget, 411 17 Göteborg']) {
    const named = await draw(`${around}&town=${encodeURIComponent(town)}`);
    assert.match(named, />Göteborg<\/text>/);
    assert.doesNotMatch(named, /Gothenburg/);
  }
  assert.match(await draw(`${around}&town=Oslo`), />Gothenburg<\/text>/);
});

test('map picture: a place in the file of streets has streets, and one around the antimeridian is drawn', async () => {
  const streets = await drawAt(town.lat, town.lng, withStreets);
  const widthsOf = (picture: string, colour: string) =>
    [...picture.matchAll(new RegExp(`stroke="var\\(--${colour}\\)" stroke-width="([\\d.]+)"`, 'g'))].map(
      ([, width]) => Number(width),
    );
  const [least = 0, most = 0] = widthsOf(streets, 'road');
  assert.ok(least > 0 && most > least, 'large streets are wider');
  assert.deepEqual(
    widthsOf(streets, 'border').map((width) => Number((width - 10).toFixed(1))),
    widthsOf(streets, 'road'),
    'each has an edge',
  );
  // Its name is along it, once.
  assert.match(streets, /transform="rotate\([^"]+"[^>]*>Storgata<\/text>/);
  assert.equal(streets.split('>Storgata<').length, 2);
  // The land goes on beyond the edge of the file, and rivers are lines.
  assert.match(streets, /^<svg [^>]+><g id="map"><path fill="var\(--land\)" d="M-360/);
  assert.match(streets, /fill="none" stroke="var\(--water\)"/);
  assert.doesNotMatch(streets, / km</);
  const box = `box=${town.lng - 0.005},${town.lat - 0.005},${town.lng + 0.005},${town.lat + 0.005}&size=400,240`;
  assert.match(await draw(box, withStreets), /stroke="var\(--road\)"/);
  // Farther away, streets are narrower.
  const farther = await draw(
    `box=${town.lng - 0.02},${town.lat - 0.02},${town.lng + 0.02},${town.lat + 0.02}&size=400,240`,
    withStreets,
  );
  const widths = widthsOf(farther, 'road');
  assert.ok(widths.length > 0 && Math.max(...widths) < most, `${widths}`);
  assert.doesNotMatch(await drawAt(59.91, 10.75, withStreets), /var\(--road\)| km</);
  assert.match(await drawAt(-16.8, 179.99), /fill="var\(--land\)"/);
});

test('map picture: each tile has a path of its own, because land is not filled where a path overlaps itself', async () => {
  const picture = await draw('box=-12,35,40,71&size=1000,1000');
  const [, land = ''] = /<g fill="var\(--land\)"[^>]*>(.*?)<\/g>/.exec(picture) ?? [];
  const paths = [...land.matchAll(/ d="([^"]+)"/g)].map(([, d = '']) => d);
  assert.ok(paths.length > 4, `${paths.length} paths`);
  const { worldSize, zoom } = fitBox({ west: -12, south: 35, east: 40, north: 71 }, 1_000, 1_000);
  // With its margins, which lie under its neighbours.
  const widest = (worldSize / 2 ** (zoom - 1)) * 1.1;
  for (const path of paths) {
    for (const axis of [0, 1]) {
      const along = path.split('M').flatMap((line) => {
        const steps = (line.match(/-?\d+/g) ?? []).map(Number).filter((_, i) => i % 2 === axis);
        return steps.map((_, i) => steps.slice(0, i + 1).reduce((sum, step) => sum + step) / 10);
      });
      assert.ok(along.length > 0 && Math.max(...along) - Math.min(...along) <= widest);
    }
  }
});

test('map picture: names are beside the pins, and 404 without an area or a size', async () => {
  const area = 'box=10.5,59.8,11,60&size=416,620';
  const plain = await draw(area);
  const [, x = '', y = ''] = /<text x="([\d.]+)" y="([\d.]+)"[^>]*>Oslo</.exec(plain) ?? [];
  assert.notEqual(x, '');
  assert.doesNotMatch(await draw(`${area}&pins=${x},${y},60`), new RegExp(`<text x="${x}" y="${y}"`));
  assert.match(await draw('box=177,-18,-179,-16&size=416,620'), /fill="var\(--land\)"/);
  const world = await fetch(`${api.url}/map-picture.svg?box=-180,-85,180,85&size=400,400`);
  assert.match(world.headers.get('cache-control') ?? '', /public/);
  for (const query of [
    '',
    'box=10,59,11&size=416,620',
    'at=91,10&size=416,620',
    'box=10,59,11,60&size=416',
    'box=10,59,11,60&size=9,99999',
    'box=1,2,3,4&size=a,b',
  ])
    assert.equal((await fetch(`${api.url}/map-picture.svg?${query}`)).status, 404, query);
});
