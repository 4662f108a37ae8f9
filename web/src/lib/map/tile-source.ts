/** Reads ranges of a PMTiles file. */
import { FetchSource, type RangeResponse } from 'pmtiles';

/**
 * The cache of Chromium's private windows ends a response early, and reports no error, if an earlier request for the same
 * bytes was cancelled, as maps do: such a range is read again without the cache.
 */
export class TileSource extends FetchSource {
  override async getBytes(
    offset: number,
    length: number,
    signal?: AbortSignal,
    etag?: string,
  ): Promise<RangeResponse> {
    const read = await super.getBytes(offset, length, signal, etag);
    if (read.data.byteLength >= length) return read;
    const headers = { range: `bytes=${offset}-${offset + length - 1}` };
    const response = await fetch(this.url, { headers, cache: 'no-store', signal: signal ?? null });
    if (response.status !== 206) throw new Error(`The range has the status ${response.status}`);
    return { ...read, data: await response.arrayBuffer() };
  }
}
