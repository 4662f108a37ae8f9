/**
 * Generated images: avatars, and what generated covers share with them. They are derived from an id, so they need no
 * storage and contain no personal data.
 */
import { createHash } from 'node:crypto';
import { svg } from '../lib/svg.ts';
import type { ContentResponse } from './define-endpoint.ts';

const bytesOf = (id: string) => createHash('sha256').update(id).digest();
const hue = (byte = 0) => Math.round((byte / 256) * 360);

/** Returns an SVG image of 400 × 400 with two circles. */
export function avatarSvg(id: string): string {
  const [a, b, c, d, e, f] = bytesOf(id);
  const spot = (x = 0, y = 0, radius: number, colour: string) =>
    `<circle cx="${(x / 255) * 400}" cy="${(y / 255) * 400}" r="${radius}" fill="${colour}"/>`;
  return svg(
    400,
    400,
    `<rect width="400" height="400" fill="hsl(${hue(a)} 55% 72%)"/>` +
      spot(b, c, 190, `hsl(${(hue(a) + 40) % 360} 60% 60% / .8)`) +
      spot(d, e, 120, `hsl(${(hue(a) + 160 + (f ?? 0) / 4) % 360} 60% 68% / .75)`),
  );
}

export const svgType = 'image/svg+xml';
/** Generated images never change. */
export const svgHeaders = { 'cache-control': 'public, max-age=604800, immutable' };

export const svgResponse = (picture: string): ContentResponse => ({
  statusCode: 200,
  contentType: svgType,
  content: picture,
  headers: svgHeaders,
});
