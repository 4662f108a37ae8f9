/** Draws previews one at a time, and keeps the latest ones in memory. */
import { error } from '@sveltejs/kit';

/** In bytes. A preview has about 100 kB. */
const maxBytes = 8 * 1024 * 1024;
/** Previews that wait to be drawn. A drawing takes about 100 ms. */
const maxWaiting = 20;

/** Those that were used least recently come first. */
const previews = new Map<string, Buffer<ArrayBuffer>>();
let bytes = 0;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** Finds a preview by its version, or draws it. */
export async function findPreview(
  version: string,
  draw: () => Promise<Buffer<ArrayBuffer>>,
): Promise<Buffer<ArrayBuffer>> {
  const drawn = take(version);
  if (drawn) return drawn;
  if (waiting >= maxWaiting) error(503);
  waiting++;
  const drawing = last.then(async () => take(version) ?? keep(version, await draw()));
  last = drawing.catch(() => {}).finally(() => waiting--);
  return drawing;
}

function take(version: string): Buffer<ArrayBuffer> | undefined {
  const preview = previews.get(version);
  if (preview) {
    previews.delete(version);
    previews.set(version, preview);
  }
  return preview;
}

function keep(version: string, preview: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  previews.set(version, preview);
  bytes += preview.length;
  for (const [oldest, { length }] of previews) {
    if (bytes <= maxBytes) break;
    previews.delete(oldest);
    bytes -= length;
  }
  return preview;
}
