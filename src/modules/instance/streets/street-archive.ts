/** The map that streets are cut out of: a PMTiles file at an address, of which ranges of bytes are read. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EtagMismatch, FetchSource, PMTiles, type Source, TileType } from 'pmtiles';
import { dayMs, utcDay } from '#base';
import type { Tile } from '../../../lib/pmtiles-file.ts';
import type { TileAddress } from './town-tiles.ts';

const builds = 'https://build.protomaps.com';
/** Builds are made each day, and kept for about a week. */
const daysBack = 7;
const attempts = 4;
const timeoutMs = 30_000;
/** After the first failure; then twice and three times as long. */
const pauseMs = 250;
/** Requests at the same time. */
const concurrency = 8;

/** Why streets cannot be had, as a sentence. */
export class StreetsError extends Error {}

export type StreetArchive = { url: string; maxZoom: number; metadata: object; archive: PMTiles };

/**
 * @param url undefined for the newest build of Protomaps
 * @throws StreetsError if the file cannot be read, or has no streets in the layers that the map draws
 */
export async function openStreets(
  url: string | undefined,
  now: Date,
  stop: AbortSignal,
): Promise<StreetArchive> {
  if (url) return openArchive(url, stop);
  let failure: unknown;
  for (let days = 0; days < daysBack; days++) {
    const day = utcDay(new Date(now.getTime() - days * dayMs));
    try {
      return await openArchive(`${builds}/${day.replaceAll('-', '')}.pmtiles`, stop);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function openArchive(url: string, stop: AbortSignal): Promise<StreetArchive> {
  const archive = new PMTiles(repeatedReads(url, stop));
  const [header, metadata] = await Promise.all([archive.getHeader(), archive.getMetadata()]).catch(
    (error) => {
      throw error instanceof StreetsError
        ? error
        : new StreetsError(`${url} cannot be read: ${reasonOf(error)}.`);
    },
  );
  const layers = (metadata as { vector_layers?: { id: string }[] } | null)?.vector_layers ?? [];
  if (header.tileType !== TileType.Mvt || !layers.some(({ id }) => id === 'roads'))
    throw new StreetsError(
      `${url} is not a map with the layers of the Protomaps basemap: it has no "roads".`,
    );
  return { url, maxZoom: header.maxZoom, metadata: metadata as object, archive };
}

/**
 * Reads ranges of bytes. The archive remembers a failure of its index, so attempts are repeated here.
 * Reads throw a StreetsError with the reason of the last attempt.
 */
function repeatedReads(url: string, stop: AbortSignal): Source {
  const source = new FetchSource(url);
  return {
    getKey: () => url,
    async getBytes(offset, length, _signal, etag) {
      for (let attempt = 1; ; attempt++) {
        try {
          const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
          return await source.getBytes(offset, length, signal, etag);
        } catch (error) {
          stop.throwIfAborted();
          // The archive begins anew if the file has changed.
          if (error instanceof EtagMismatch) throw error;
          if (attempt === attempts) throw new StreetsError(`${url} cannot be read: ${reasonOf(error)}.`);
          await sleep(attempt * pauseMs);
        }
      }
    },
  };
}

/**
 * @param onTile is called after each tile
 * @returns the tiles that the archive has
 * @throws StreetsError if one cannot be read
 */
export async function readTiles(
  { archive }: StreetArchive,
  addresses: TileAddress[],
  onTile: () => void,
): Promise<Tile[]> {
  const tiles: Tile[] = [];
  const rest = addresses.values();
  const readNext = async () => {
    for (const { z, x, y } of rest) {
      const tile = await archive.getZxy(z, x, y);
      if (tile) tiles.push({ z, x, y, data: new Uint8Array(tile.data) });
      onTile();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, readNext));
  return tiles;
}

/** The error of `fetch` names no reason itself. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const text = cause instanceof Error && cause.message ? cause.message : message;
  return text.replace(/\.$/, '');
}
