/**
 * What somebody sent as an image → the image that is kept: decoded whole, upright, at most 2,048 pixels a side, and made
 * anew as WebP, so that nothing of the file itself is left: no metadata, nothing hidden before, in or behind the image.
 */
import PQueue from 'p-queue';
import type { Sharp } from 'sharp';
import { Problem } from '../../lib/errors.ts';

export const imageTypes = ['image/jpeg', 'image/png', 'image/webp'] as const;
export type ImageType = (typeof imageTypes)[number];
/** `data` is WebP; sizes in pixels. */
export type Picture = { data: Buffer; width: number; height: number };

const maxPixels = 50_000_000;
const longestSide = 2_048;
/** Of an animation the first frame is taken; one of more than this is no picture that somebody meant to send. */
const maxFrames = 100;
/** Each scan of a progressive JPEG goes over the whole image again, however few bytes it has; cameras write about ten. */
const maxScans = 100;
/** In seconds. */
const longestWork = 10;
/** How long somebody may wait for their turn. */
const patienceMs = 5_000;

/** Each takes a core, and up to a few hundred megabytes. */
export const turns = new PQueue({ concurrency: 2 });

/** @throws Problem `image_invalid` saying what is wrong; `unavailable` when too many wait for their turn */
export async function makePicture(bytes: Buffer): Promise<Picture> {
  const type = detectType(bytes);
  const givingUp = new AbortController();
  const timer = setTimeout(() => givingUp.abort(new Problem('unavailable', { retryAfter: 5 })), patienceMs);
  const work = () => {
    clearTimeout(timer);
    return convert(bytes, type);
  };
  return await turns.add(work, { signal: givingUp.signal });
}

const invalidImage = (what: string) => new Problem('image_invalid', { detail: `The image ${what}.` });

const signatures: Record<ImageType, RegExp> = {
  'image/jpeg': /^\xff\xd8\xff/,
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/webp': /^RIFF.{4}WEBP/s,
};

/** The format by the first bytes of the file. @throws Problem `image_invalid` when it is none of the three */
function detectType(bytes: Buffer): ImageType {
  if (bytes.length === 0) throw invalidImage('is empty');
  const start = bytes.toString('latin1', 0, 12);
  const type = imageTypes.find((each) => signatures[each].test(start));
  if (!type) throw invalidImage('is neither JPEG, PNG nor WebP by its first bytes');
  return type;
}

async function convert(bytes: Buffer, type: ImageType): Promise<Picture> {
  const sharp = await loadSharp();
  const read = (limitInputPixels: number | false) =>
    sharp(bytes, { failOn: 'warning', limitInputPixels, sequentialRead: true, pages: 1 });
  const about = await decoded(read(false).metadata());
  if (`image/${about.format}` !== type)
    throw invalidImage(`has the first bytes of ${type} and is ${about.format}`);
  if (about.width * about.height > maxPixels)
    throw invalidImage(`has ${about.width} × ${about.height} pixels; at most 50 megapixels are taken`);
  if ((about.pages ?? 1) > maxFrames || apngFrames(bytes, type) > maxFrames)
    throw invalidImage(`is an animation of more than ${maxFrames} frames`);
  if (type === 'image/jpeg' && countScans(bytes) > maxScans)
    throw invalidImage(`has more than ${maxScans} scans; save it as an ordinary JPEG`);
  const { data, info } = await decoded(kept(read(maxPixels)).toBuffer({ resolveWithObject: true }));
  return { data, width: info.width, height: info.height };
}

/** Without being told to, sharp keeps no metadata, and turns every colour profile into sRGB. */
const kept = (image: Sharp): Sharp =>
  image
    .autoOrient()
    .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 82, effort: 3 })
    .timeout({ seconds: longestWork });

/** What goes wrong here lies in the file: that, and not the library's own words, is what its sender is told. */
async function decoded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isSlow = /timeout/i.test((error as Error).message);
    throw invalidImage(isSlow ? 'takes too long to decode' : 'cannot be decoded: it is damaged or cut short');
  }
}

/** How many frames an animated PNG says it has; 0 for a still one. The library sees only the first. */
function apngFrames(bytes: Buffer, type: ImageType): number {
  if (type !== 'image/png') return 0;
  // Chunks: length, name, content, checksum; the count comes before the image data.
  for (let at = 8; at + 12 <= bytes.length; at += bytes.readUInt32BE(at) + 12) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (name === 'acTL') return bytes.readUInt32BE(at + 8);
    if (name === 'IDAT') return 0;
  }
  return 0;
}

/** Its marker stands nowhere else in image data; the few of a thumbnail are counted too. */
function countScans(bytes: Buffer): number {
  const marker = Buffer.from([0xff, 0xda]);
  let scans = 0;
  for (let at = bytes.indexOf(marker); at >= 0 && scans <= maxScans; at = bytes.indexOf(marker, at + 2))
    scans++;
  return scans;
}

let loaded: Promise<typeof import('sharp').default> | undefined;

/** Loaded with the first image. It can read a dozen formats; all but the three are taken from it. */
function loadSharp() {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({
      operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
    });
    return sharp;
  });
  return loaded;
}
