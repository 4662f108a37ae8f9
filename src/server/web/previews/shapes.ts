/** Shapes as pixels. The decoder of SVG is disabled (load-sharp.ts). */
import type { OverlayOptions } from 'sharp';

type Pixels = { input: Buffer; raw: NonNullable<OverlayOptions['raw']> };

/**
 * Returns a gradient from the top left to the bottom right, of two colours as `#rrggbb`. It has few pixels, because the image library enlarges
 * it in another thread.
 */
export function gradient(from: string, to: string): Pixels {
  const [width, height] = [120, 63];
  const [start, end] = [toRgb(from), toRgb(to)];
  const input = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const share = (x / (width - 1) + y / (height - 1)) / 2;
      for (const [channel, value] of start.entries())
        input[3 * (y * width + x) + channel] = Math.round(value + ((end[channel] ?? 0) - value) * share);
    }
  return { input, raw: { width, height, channels: 3 } };
}

const toRgb = (colour: string): Buffer => Buffer.from(colour.slice(1), 'hex');

/** In pixels; `colour` has red, green, blue and alpha, from 0 to 255. */
type Rectangle = { width: number; height: number; radius: number; colour: number[] };

/** Returns a rectangle with round corners. */
export function roundedRectangle({ width, height, radius, colour }: Rectangle): Pixels {
  const input = Buffer.alloc(width * height * 4, Buffer.from(colour));
  const [, , , alpha = 255] = colour;
  for (let y = 0; y < radius; y++)
    for (let x = 0; x < radius; x++) {
      const distance = Math.hypot(radius - x - 0.5, radius - y - 0.5);
      // The edge of the corner has partly covered pixels.
      const covered = Math.min(1, Math.max(0, radius - distance + 0.5));
      for (const row of [y, height - 1 - y])
        for (const column of [x, width - 1 - x])
          input[4 * (row * width + column) + 3] = Math.round(alpha * covered);
    }
  return { input, raw: { width, height, channels: 4 } };
}
