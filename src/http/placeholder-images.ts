/**
 * Generated avatars and covers. They are derived from an id, so they need no storage and contain no personal
 * data.
 */
import { createHash } from 'node:crypto';
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

/** Hue in degrees, saturation and lightness in per cent. */
export type Hsl = [number, number, number];

/** The colours at the top left and at the bottom right of a cover. */
export function coverColours(id: string): { from: Hsl; to: Hsl } {
  const [a, b] = bytesOf(id);
  return { from: [hue(a), 62, 62], to: [(hue(a) + 30 + (b ?? 0) / 4) % 360, 65, 48] };
}

/** Returns an SVG image of 1200 × 630 with a gradient and the emoji of the category. */
export function coverSvg(id: string, emoji: string): string {
  const [, , c, d] = bytesOf(id);
  const { from, to } = coverColours(id);
  const wave = (y: number, opacity: number) =>
    `<path d="M0 ${y} C 300 ${y - (c ?? 0) / 2}, 700 ${y + (d ?? 0) / 2}, 1200 ${y - 60} V630 H0Z" fill="#fff" opacity="${opacity}"/>`;
  return svg(
    1200,
    630,
    `<defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop stop-color="${toCss(from)}"/>` +
      `<stop offset="1" stop-color="${toCss(to)}"/></linearGradient></defs>` +
      `<rect width="1200" height="630" fill="url(#g)"/>${wave(420, 0.12)}${wave(500, 0.16)}` +
      `<text x="600" y="315" font-size="190" text-anchor="middle" dominant-baseline="central">${emoji}</text>`,
  );
}

const toCss = ([h, s, l]: Hsl): string => `hsl(${h} ${s}% ${l}%)`;

const svg = (width: number, height: number, inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${inside}</svg>`;

export const svgType = 'image/svg+xml';
/** Generated images never change. */
export const svgHeaders = { 'cache-control': 'public, max-age=604800, immutable' };

export const svgResponse = (picture: string): ContentResponse => ({
  statusCode: 200,
  contentType: svgType,
  content: picture,
  headers: svgHeaders,
});
