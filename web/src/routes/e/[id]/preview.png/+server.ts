import { createHash } from 'node:crypto';
import { type Event, getEvent } from '@potluck/client';
import { coverOf } from '#lib/cover.ts';
import { formatPeriod } from '#lib/format.ts';
import { m } from '#lib/paraglide/messages.js';
import { getLocale, getTextDirection } from '#lib/paraglide/runtime.js';
import { drawPreview } from '#lib/server/event/draw-preview.ts';
import { findPreview } from '#lib/server/event/preview-cache.ts';
import { load } from '#lib/server/problems.ts';
import type { RequestHandler } from './$types';

/** The image of an event beside a link to its page, 1200 × 630. */
export const GET: RequestHandler = async ({ locals: { api }, params: { id }, platform, url, request }) => {
  const event = await load(getEvent({ client: api, path: { id } }));
  const cover = coverOf(event);
  const texts = { title: event.title, lines: linesOf(event) };
  // Only what the image shows: an RSVP changes nothing.
  const version = createHash('sha256')
    .update(JSON.stringify([texts, cover, getLocale()]))
    .digest('base64url');
  const headers = {
    etag: `"${version}"`,
    'cache-control': event.visibility === 'private' ? 'private, no-cache' : 'public, max-age=600',
  };
  if (request.headers.get('if-none-match')?.includes(version)) {
    return new Response(null, { status: 304, headers });
  }
  const image = await findPreview(version, async () =>
    drawPreview({
      ...texts,
      cover: await readCover(new URL(cover, url), platform),
      isRightToLeft: getTextDirection() === 'rtl',
    }),
  );
  return new Response(image, { headers: { ...headers, 'content-type': 'image/png' } });
};

const linesOf = (event: Event): string[] => [
  event.status === 'cancelled' ? `${m.cancelled()} · ${formatPeriod(event)}` : formatPeriod(event),
  event.location.address,
];

/** The cover without its emoji, for which the server may have no font. */
async function readCover(address: URL, platform: App.Platform | undefined): Promise<Buffer> {
  const response = await platform?.fetchApi(new Request(address));
  if (!response?.ok) throw new Error(`${address.pathname} is not readable`);
  const image = Buffer.from(await response.arrayBuffer());
  const isSvg = response.headers.get('content-type')?.includes('svg');
  return isSvg ? Buffer.from(image.toString('utf8').replace(/<text[^<]*<\/text>/g, '')) : image;
}
