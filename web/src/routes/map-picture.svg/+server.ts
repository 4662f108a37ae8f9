import { error } from '@sveltejs/kit';
import { pinHeight } from '#lib/discovery/pins.ts';
import { parseNear } from '#lib/discovery/search.ts';
import { townsIn } from '#lib/discovery/server/short-address.ts';
import { parseBox } from '#lib/map/mercator.ts';
import { drawArea, drawPlace } from '#lib/map/server/draw-area.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { RequestHandler } from './$types';

/** In units of the drawing. */
const [minSize, maxSize, maxPins] = [100, 1_000, 200];
const maxTown = 300;

/**
 * A picture of a part of the world (`box`), or of the surroundings of a place in its middle (`at`), for the `use` of another
 * drawing. `size` is its width and height, `pins` the middle and the width of what the page draws over it. With `tall`, names
 * may cross the upper and the lower edge. `town` is an address or a town, whose name the picture has.
 */
export const GET: RequestHandler = async ({ platform, url }) => {
  if (!platform) error(503);
  const query = readQuery(url);
  const [area, place] = [parseBox(query.text('box')), parseNear(query.text('at'))];
  const [width, height] = numbersOf(query.text('size'));
  if (!isSize(width) || !isSize(height)) error(404);
  const taken = query
    .text('pins')
    .split(';', maxPins)
    .map(numbersOf)
    .map(([x = 0, y = 0, wide = 0]) => ({
      left: x - wide / 2,
      right: x + wide / 2,
      top: y - pinHeight / 2,
      bottom: y + pinHeight / 2,
    }));
  const request = {
    width,
    height,
    taken,
    isTall: query.has('tall'),
    local: townsIn(query.text('town').slice(0, maxTown)),
    paths: platform.mapPaths,
    // With streets, a map needs no distances.
    hasRings: platform.mapTiles === null,
    from: place,
  };
  const picture = place ? await drawPlace(place, request) : area ? await drawArea(area, request) : error(404);
  const headers = { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' };
  return new Response(picture, { headers });
};

const numbersOf = (text: string): number[] => text.split(',').map(Number);
const isSize = (value: number | undefined): value is number =>
  value !== undefined && value >= minSize && value <= maxSize;
