/** The command `streets`, which cuts the streets of a town out of a PMTiles file at an address. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { PMTiles } from 'pmtiles';
import { readConfig } from '../../src/config/config.ts';
import { checkMapTiles } from '../../src/server/web/map-tiles.ts';
import { cleanUpAfterTests, createTempDir, potluck } from '../support/processes.ts';
import { maxZoom, metadata, startStreetServer, tileOf, town } from '../support/street-server.ts';

cleanUpAfterTests();

const address = await startStreetServer();

async function run(...args: string[]) {
  const dataDir = path.join(await createTempDir(), 'data');
  const { ended, output } = potluck(['streets', ...args], { env: { DATA_DIR: dataDir } });
  return { code: await ended, ...output, dataDir, file: path.join(dataDir, 'streets.pmtiles') };
}

async function openFile(file: string): Promise<PMTiles> {
  const content = await readFile(file);
  return new PMTiles({
    getKey: () => file,
    getBytes: async (offset, length) => ({
      data: new Uint8Array(content.subarray(offset, offset + length)).buffer,
    }),
  });
}

describe('streets', { concurrency: 2 }, () => {
  test('streets: the tiles of a town are stored, although requests fail, and a server uses them', async () => {
    const { code, out, err, dataDir, file } = await run(
      town.name,
      '--km=8',
      '--from',
      `${address}/world.pmtiles`,
    );
    assert.deepEqual([code, err], [0, '']);
    assert.match(
      out,
      /^Streets within 8 km of Mölndal, SE \(57\.65\d+, 12\.01\d+\), out of http.*\n(\d+ of \d+ tiles\n){10}/,
    );
    assert.match(out, /streets\.pmtiles has 0\.0 MB\. Servers show it from their next start on\.\n$/);
    const archive = await openFile(file);
    const textOf = async (z: number, x: number, y: number) => {
      const tile = await archive.getZxy(z, x, y);
      return tile && Buffer.from(tile.data).toString();
    };
    for (let z = 0; z <= maxZoom; z++) {
      const { x, y } = tileOf(z);
      assert.equal(await textOf(z, x, y), `tile ${z}/${x}/${y}`);
    }
    // A tile has 5.2 km there: those at a distance of eight kilometres are in the file, those at 16 are not.
    const { x, y } = tileOf(maxZoom);
    assert.equal(await textOf(maxZoom, x + 1, y - 1), `tile ${maxZoom}/${x + 1}/${y - 1}`);
    assert.equal(await textOf(maxZoom, x + 3, y), undefined);
    assert.deepEqual(await archive.getMetadata(), metadata);
    const { mapTiles } = readConfig({ DATA_DIR: dataDir });
    assert.deepEqual(mapTiles, { file, isDownloaded: true });
    await checkMapTiles(mapTiles);
  });

  test('streets: coordinates are a town, too', async () => {
    const { code, out } = await run(`${town.lat},${town.lng}`, '--from', `${address}/world.pmtiles`);
    assert.equal(code, 0);
    assert.match(out, /^Streets within 10 km of 57\.6554,12\.0138, out of /);
  });

  test('streets: exit code 1 and one sentence for what cannot be done, and no file remains', async () => {
    const world = ['--from', `${address}/world.pmtiles`];
    const cases: [string[], RegExp][] = [
      [[], /^The command is: streets TOWN, such as [^\n]+\n$/],
      [
        ['Nowhereville-upon-Nothing'],
        /^There is no town "Nowhereville-upon-Nothing"\. Give its coordinates: [^\n]+\n$/,
      ],
      [[town.name, '--km', '26'], /^--km is "26"; it must be a whole number from 1 to 25\.\n$/],
      [[town.name, '--km', '0x5'], /^--km is "0x5"; it must be [^\n]+\n$/],
      [
        [town.name, '--from', `${address}/none.pmtiles`],
        /^http[^\n]+none\.pmtiles cannot be read: [^\n]+404[^\n]*\.\n$/,
      ],
      [
        [town.name, '--from', `${address}/no-map.pmtiles`],
        /^http[^\n]+no-map\.pmtiles cannot be read: [^\n]+\.\n$/,
      ],
      [
        [town.name, '--from', `${address}/no-streets.pmtiles`],
        /no-streets\.pmtiles is not a map with [^\n]+"roads"\.\n$/,
      ],
      [[town.name, '--from', 'http://127.0.0.1:9/x.pmtiles'], /^http:[^\n]+ cannot be read: [^\n]+\.\n$/],
      [
        [town.name, '--from', 'world.pmtiles'],
        /^--from is "world\.pmtiles"; it must be an address that [^\n]+\n$/,
      ],
      [['0,0', ...world], /^http[^\n]+ has no streets within 10 km of 0, 0\.\n$/],
    ];
    for (const [args, sentence] of cases) {
      const { code, err, dataDir } = await run(...args);
      assert.deepEqual([code, args], [1, args]);
      assert.match(err, sentence);
      assert.deepEqual(await readdir(dataDir).catch(() => []), []);
    }
  });
});
