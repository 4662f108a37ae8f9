/**
 * Draws the covers of events as PNG, for the previews of links: the decoder of SVG is disabled in the server
 * (src/lib/load-sharp.ts). Of a cover, which has 1200 × 630 pixels, a picture has the central square.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { coverPictures } from '../src/modules/events/covers/cover.ts';

const out = path.join(import.meta.dirname, 'build', 'covers');

await mkdir(out, { recursive: true });
await Promise.all(
  [...coverPictures()].map(async ([name, image]) => {
    const square = sharp(Buffer.from(image)).resize(630, 630, { fit: 'cover' });
    await writeFile(path.join(out, `${name}.png`), await square.png({ palette: true, effort: 4 }).toBuffer());
  }),
);
