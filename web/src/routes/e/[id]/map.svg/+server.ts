import { createHash } from 'node:crypto';
import { getEvent } from '@potluck/client';
import { error } from '@sveltejs/kit';
import { drawPlace } from '#lib/server/place-map/draw-place.ts';
import { load } from '#lib/server/problems.ts';
import type { RequestHandler } from './$types';

/** A picture of the surroundings of an event, for a light page, or with `dark` for a dark one. */
export const GET: RequestHandler = async ({ locals: { api }, params: { id }, platform, url, request }) => {
  const { location, visibility } = await load(getEvent({ client: api, path: { id } }));
  if (!platform) error(503);
  const picture = await drawPlace(location, platform.mapPaths, url.searchParams.has('dark'));
  const etag = `"${createHash('sha256').update(picture).digest('base64url')}"`;
  const headers = {
    etag,
    'cache-control': visibility === 'private' ? 'private, no-cache' : 'public, max-age=3600',
  };
  if (request.headers.get('if-none-match')?.includes(etag))
    return new Response(null, { status: 304, headers });
  return new Response(picture, { headers: { ...headers, 'content-type': 'image/svg+xml' } });
};
