/** A map of the world for tests, which a server sends in ranges of bytes, as Protomaps does. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { type Tile, writePmtiles } from '../../src/lib/pmtiles-file.ts';

export const town = { name: 'Mölndal', lat: 57.6554, lng: 12.0138 };
export const maxZoom = 12;
export const metadata = { name: 'World', attribution: '© OpenStreetMap', vector_layers: [{ id: 'roads' }] };

/** All tiles of the zoom levels 0 to 4, and those of 40 tiles around the town in the others. */
function drawWorld(): Tile[] {
  const tiles: Tile[] = [];
  for (let z = 0; z <= maxZoom; z++) {
    const { x: column, y: row } = tileOf(z);
    for (let x = Math.max(column - 20, 0); x <= Math.min(column + 20, 2 ** z - 1); x++)
      for (let y = Math.max(row - 20, 0); y <= Math.min(row + 20, 2 ** z - 1); y++)
        tiles.push({ z, x, y, data: Buffer.from(`tile ${z}/${x}/${y}`) });
  }
  return tiles;
}

export function tileOf(z: number): { x: number; y: number } {
  const phi = (town.lat * Math.PI) / 180;
  const mercator = Math.log(Math.tan(phi) + 1 / Math.cos(phi));
  return {
    x: Math.floor(((town.lng + 180) / 360) * 2 ** z),
    y: Math.floor(((1 - mercator / Math.PI) / 2) * 2 ** z),
  };
}

const files: Record<string, Buffer> = {
  '/world.pmtiles': writePmtiles(drawWorld(), [-180, -85, 180, 85], metadata),
  '/no-streets.pmtiles': writePmtiles(drawWorld(), [-180, -85, 180, 85], {
    vector_layers: [{ id: 'water' }],
  }),
  '/no-map.pmtiles': Buffer.alloc(20_000, 'x'),
};

/** Serves ranges of bytes, of which the first request for each third one fails. @returns the address of the server */
export async function startStreetServer(): Promise<string> {
  const ranges = new Set<string>();
  const server = http.createServer((request, response) => {
    const file = files[request.url ?? ''];
    const { range = '' } = request.headers;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    const isNew = !ranges.has(range);
    ranges.add(range);
    if (isNew && ranges.size % 3 === 1) return void response.writeHead(503).end();
    if (!file) return void response.writeHead(404).end();
    const part = file.subarray(Number(first), Number(last) + 1);
    response.writeHead(206, { etag: '"1"', 'content-length': part.length }).end(part);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
