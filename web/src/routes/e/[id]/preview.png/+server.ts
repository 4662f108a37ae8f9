import { createHash } from 'node:crypto';
import { type Event, getEvent } from '@potluck/client';
import { error } from '@sveltejs/kit';
import { uploadOf } from '#lib/components/uploads.ts';
import { whereOf } from '#lib/discovery/where.ts';
import { toShared } from '#lib/event/server/shared-event.ts';
import { formatPeriod } from '#lib/language/format.ts';
import { directionOf, getLanguage } from '#lib/language/languages.ts';
import { m } from '#lib/messages/index.js';
import { load } from '#lib/server/problems.ts';
import type { RequestHandler } from './$types';

/** The image of an event beside a link to its page, 1200 × 630. */
export const GET: RequestHandler = async ({ locals: { api }, params: { id }, platform, url, request }) => {
  const event = await toShared(await load(getEvent({ client: api, path: { id } })), { platform, url });
  const upload = uploadOf(event.coverUrl);
  const drawn = { id: event.id, category: event.category.slug, theme: event.coverTheme };
  const texts = { title: event.title, lines: linesOf(event) };
  // Only what the image shows: an RSVP changes nothing.
  const version = createHash('sha256')
    .update(JSON.stringify([drawn, texts, upload, event.coverFocus, getLanguage()]))
    .digest('base64url');
  const headers = {
    etag: `"${version}"`,
    vary: 'Cookie, Accept-Language',
    'cache-control': event.visibility === 'private' ? 'private, no-cache' : 'public, max-age=600',
  };
  if (request.headers.get('if-none-match')?.includes(version)) {
    return new Response(null, { status: 304, headers });
  }
  const image = await platform?.drawPreview(version, async () => ({
    ...texts,
    cover: (upload && (await readCover(new URL(upload, url), platform))) || drawn,
    focus: event.coverFocus.replace('-', ' '),
    isRightToLeft: directionOf(getLanguage()) === 'rtl',
  }));
  if (!image) error(503);
  return new Response(image, { headers: { ...headers, 'content-type': 'image/png' } });
};

const linesOf = (event: Event): string[] => [
  event.status === 'cancelled' ? `${m.cancelled()} · ${formatPeriod(event)}` : formatPeriod(event),
  whereOf(event),
];

/** Returns null for an upload that has been deleted. */
async function readCover(address: URL, platform: App.Platform): Promise<Buffer | null> {
  const response = await platform.fetchApi(new Request(address));
  return response.ok ? Buffer.from(await response.arrayBuffer()) : null;
}
