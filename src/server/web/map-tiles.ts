/** Serves the streets of the map (MAP_TILES). Browsers read ranges of bytes of the file: its index, then single tiles. */
import { type BigIntStats, existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import { ConfigError } from '../../config/config.ts';
import type { MapTiles } from '../../config/map-tiles.ts';
import type { App } from '../../http/app.ts';
import { emptyBody, isNotModified } from '../../http/conditional.ts';
import { Problem } from '../../lib/errors.ts';

const servedPath = '/map/streets.pmtiles';
/** After a change of the file, browsers notice by its ETag that stored ranges belong to the old one. */
const cacheControl = 'public, max-age=86400';

/** The address at which browsers load the file, and its path on this machine. Null: there are no streets, or not there. */
export function findTiles(tiles: MapTiles): { address: string | null; path: string | null } {
  if ('url' in tiles) return { address: tiles.url, path: null };
  // A download may end at any time.
  if (tiles.isDownloaded && !existsSync(tiles.file)) return { address: null, path: null };
  return { address: servedPath, path: tiles.file };
}

/** Part of a file, with its last byte. */
type Range = { start: number; end: number };

type Response = { status: number; headers: Record<string, string | number>; body: Range | null };

/** Clients choose the range alone: the only file is that of the operator. 404 while there is none. */
export function registerMapTiles(app: App, tiles: MapTiles): void {
  app.get(servedPath, { schema: { hide: true }, config: { isStaticFile: true } }, async (request, reply) => {
    const { path } = findTiles(tiles);
    if (path === null) throw new Problem('route_not_found');
    const { handle, stats } = await openTiles(path);
    const { status, headers, body } = respond(request, stats);
    reply.code(status).headers(headers);
    if (body) return reply.send(handle.createReadStream(body));
    await handle.close();
    return reply.send(emptyBody(request));
  });
}

/**
 * Opens the file for one request, because another one may get its name at any time.
 * @throws Problem `unavailable` if it cannot be read, or is not there any more
 */
async function openTiles(file: string): Promise<{ handle: FileHandle; stats: BigIntStats }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    return { handle, stats: await handle.stat({ bigint: true }) };
  } catch {
    await handle?.close();
    throw new Problem('unavailable', { detail: 'The server cannot read its map at the moment.' });
  }
}

/** As RFC 9110 defines it for a resource with byte ranges. Several ranges at once get the whole file. */
function respond(request: FastifyRequest, stats: BigIntStats): Response {
  const size = Number(stats.size);
  const etag = `"${stats.size.toString(36)}-${stats.mtimeNs.toString(36)}"`;
  const headers = { etag, 'cache-control': cacheControl, 'accept-ranges': 'bytes' };
  if (isNotModified(request, etag)) return { status: 304, headers, body: null };

  const { range: wanted, 'if-range': version = etag } = request.headers;
  const isHead = request.method === 'HEAD';
  const range = isHead || version !== etag ? null : readRange(wanted, size);
  if (range === 'unsatisfiable') {
    return { status: 416, headers: { 'content-range': `bytes */${size}` }, body: null };
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  return {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      ...(range && { 'content-range': `bytes ${start}-${end}/${size}` }),
      'content-type': 'application/vnd.pmtiles',
      'content-length': end - start + 1,
    },
    body: isHead || size === 0 ? null : { start, end },
  };
}

/** @returns null if there is no header, or one that means the whole file */
function readRange(header: string | undefined, size: number): Range | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  // Without a first byte, the number is how many bytes from the end.
  const isSuffix = first === '';
  const start = isSuffix ? Math.max(size - Number(last), 0) : Number(first);
  const end = isSuffix || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start >= size) return 'unsatisfiable';
  return end < start ? null : { start, end };
}

/** PMTiles version 3: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md */
const magic = Buffer.from('PMTiles\x03', 'latin1');
const headerBytes = 127;
const [tileOffsetAt, tileLengthAt, tileTypeAt] = [56, 64, 99];
const vectorTiles = 1;

/**
 * Checks the file at the start. Without the check, a wrong path would only leave the streets out of the map.
 * @throws ConfigError that names the variable and the reason
 */
export async function checkMapTiles(tiles: MapTiles): Promise<void> {
  if ('url' in tiles || findTiles(tiles).path === null) return;
  const fault = await findFault(tiles.file);
  if (!fault) return;
  throw new ConfigError(
    `The file of streets "${tiles.file}" ${fault}. MAP_TILES names it, or it was downloaded.`,
  );
}

async function findFault(file: string): Promise<string | null> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    return await findFaultIn(handle);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? message})`;
  } finally {
    await handle?.close();
  }
}

async function findFaultIn(handle: FileHandle): Promise<string | null> {
  const stats = await handle.stat();
  if (!stats.isFile()) return 'is not a file';
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
  if (bytesRead < headerBytes || !buffer.subarray(0, magic.length).equals(magic))
    return 'is not a PMTiles file of version 3';
  if (buffer[tileTypeAt] !== vectorTiles) return 'does not contain vector tiles (MVT)';
  const end = buffer.readBigUInt64LE(tileOffsetAt) + buffer.readBigUInt64LE(tileLengthAt);
  return end > stats.size ? 'is incomplete: its end is missing' : null;
}
