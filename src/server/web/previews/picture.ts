/** The picture of a preview: an uploaded image, or the drawn cover. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { OverlayOptions } from 'sharp';
import { loadSharp } from '../../../lib/load-sharp.ts';
import { type CoverSource, coverParts } from '../../../modules/events/covers/cover.ts';
import { buildDirectory } from '../built-files.ts';

/** Of an emoji, in pixels, as on the cover. */
const emojiWidth = 224;

type Size = { width: number; height: number };

/** @param position the part of an uploaded image that stays visible, such as `left top` */
export async function drawPicture(
  cover: Buffer | CoverSource,
  position: string,
  { width, height }: Size,
): Promise<OverlayOptions> {
  const sharp = await loadSharp();
  const { image, overlays } = Buffer.isBuffer(cover)
    ? { image: cover, overlays: [] }
    : await readParts(cover, width);
  const { data, info } = await sharp(image, { limitInputPixels: 50_000_000 })
    .resize(width, height, { fit: 'cover', position })
    .composite(overlays)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { input: data, raw: { width, height, channels: info.channels } };
}

/** The decoder of SVG is disabled, so the build has drawn the covers (web/cover-pictures.ts). */
async function readParts(cover: CoverSource, width: number) {
  const sharp = await loadSharp();
  const { picture, category, emojiY } = coverParts(cover);
  const image = await readFile(path.join(buildDirectory, 'covers', `${picture}.png`));
  const file = await readFile(path.join(import.meta.dirname, 'emoji', `${category}.png`));
  const emoji = await sharp(file).resize(emojiWidth).png().toBuffer({ resolveWithObject: true });
  const left = Math.round((width - emojiWidth) / 2);
  const top = Math.round(emojiY - emoji.info.height / 2);
  return { image, overlays: [{ input: emoji.data, left, top }] };
}
