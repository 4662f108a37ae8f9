import { error } from '@sveltejs/kit';
import { parseBox } from '#lib/discovery/mercator.ts';
import { pinHeight } from '#lib/discovery/pins.ts';
import { drawArea } from '#lib/server/place-map/draw-area.ts';
import type { RequestHandler } from './$types';

/** In units of the drawing. */
const [minSize, maxSize, maxPins] = [100, 1_000, 60];

/**
 * A picture of a part of the world, for a light page, or with `dark` for a dark one. `size` is its width and height, `pins`
 * the middle and the width of what the page draws over it.
 */
export const GET: RequestHandler = async ({ platform, url: { searchParams } }) => {
  if (!platform) error(503);
  const area = parseBox(searchParams.get('box') ?? '');
  const [width, height] = numbersOf(searchParams.get('size') ?? '');
  if (!area || !isSize(width) || !isSize(height)) error(404);
  const boxes = (searchParams.get('pins') ?? '')
    .split(';')
    .slice(0, maxPins)
    .map(numbersOf)
    .map(([x = 0, y = 0, wide = 0]) => ({
      left: x - wide / 2,
      right: x + wide / 2,
      top: y - pinHeight / 2,
      bottom: y + pinHeight / 2,
    }));
  const isDark = searchParams.has('dark');
  const picture = await drawArea(area, { width, height }, boxes, platform.mapPaths.base, isDark);
  const headers = { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' };
  return new Response(picture, { headers });
};

const numbersOf = (text: string): number[] => text.split(',').map(Number);
const isSize = (value: number | undefined): value is number =>
  value !== undefined && value >= minSize && value <= maxSize;
