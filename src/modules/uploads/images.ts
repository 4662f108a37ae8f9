/**
 * Converts an uploaded file to the image that is stored: fully decoded, upright, at most 2,048 pixels a side,
 * and encoded again as WebP. No part of the file itself is stored: no metadata, and no data before, inside or
 * after the image.
 */
import { availableParallelism } from 'node:os';
import type { Metadata, Sharp } from 'sharp';
import { FairQueue } from '#base';
import { Problem } from '../../lib/errors.ts';
import { loadSharp } from '../../lib/load-sharp.ts';
import { countApngFrames, countScans } from './image-structure.ts';
import { maxUploadsPerPerson } from './open-uploads.ts';

export const imageTypes = ['image/jpeg', 'image/png', 'image/webp'] as const;
type ImageType = (typeof imageTypes)[number];
/** `data` is WebP; width and height are in pixels. */
export type ConvertedImage = { data: Buffer; width: number; height: number };

const maxPixels = 50_000_000;
/**
 * Of the decoded picture: 50 megapixels with three channels of one byte, as photographs have. The time and the memory of a
 * conversion grow with these bytes: with four channels of 16 bit, a file of 0.4 MB decodes to 400 MB.
 */
const maxDecodedBytes = 3 * maxPixels;
/** In pixels. */
const maxSide = 2_048;
/** Only the first frame of an animation is stored. A file with more frames than this is not a picture. */
const maxFrames = 100;
/**
 * Each scan of a progressive JPEG decodes the whole image again, however short the scan is. Cameras write
 * about ten.
 */
const maxScans = 100;
/** In ms: how long a complete image waits for its conversion. */
const maxWaitMs = 10_000;
/**
 * Half of the wait of others, so that no image of one person uses up the wait of another, although the image library ends a
 * conversion up to a second late.
 */
const conversionTimeoutSeconds = 5;

/** One core is left to the requests of other people: on two cores, two conversions delayed each of them by 70 ms. */
export const maxConversions = Math.max(1, Math.min(2, availableParallelism() - 1));

/**
 * Each conversion uses one processor core and up to a few hundred megabytes of memory. People take turns, so
 * the images of one person do not delay those of the others.
 */
export const conversions = new FairQueue({
  concurrency: maxConversions,
  maxWaitingPerClient: maxUploadsPerPerson,
  maxWaiting: 256,
  timeoutMs: maxWaitMs,
  retryAfter: 5,
});

/**
 * Converts a file of at most `maxBodyBytes` that a person has uploaded.
 * @throws Problem `image_invalid` with the reason; `unavailable` after `maxWaitMs` in the queue
 */
export async function convertImage(bytes: Buffer, userId: string): Promise<ConvertedImage> {
  const type = detectType(bytes);
  return await conversions.run(userId, () => convert(bytes, type));
}

const invalidImage = (what: string) => new Problem('image_invalid', { detail: `The image ${what}.` });

const signatures: Record<ImageType, RegExp> = {
  'image/jpeg': /^\xff\xd8\xff/,
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/webp': /^RIFF.{4}WEBP/s,
};

/** Detects the format by the first bytes of the file. @throws Problem `image_invalid` for any other format */
function detectType(bytes: Buffer): ImageType {
  if (bytes.length === 0) throw invalidImage('is empty');
  const start = bytes.toString('latin1', 0, 12);
  const type = imageTypes.find((each) => signatures[each].test(start));
  if (!type) throw invalidImage('is neither JPEG, PNG nor WebP by its first bytes');
  return type;
}

async function convert(bytes: Buffer, type: ImageType): Promise<ConvertedImage> {
  const sharp = await loadSharp();
  const open = (limitInputPixels: number | false) =>
    sharp(bytes, { failOn: 'warning', limitInputPixels, sequentialRead: true, pages: 1 });
  const metadata = await explainFailure(open(false).metadata());
  if (`image/${metadata.format}` !== type)
    throw invalidImage(`has the first bytes of ${type} and is ${metadata.format}`);
  requireDecodable(metadata);
  if ((metadata.pages ?? 1) > maxFrames || (type === 'image/png' && countApngFrames(bytes) > maxFrames))
    throw invalidImage(`is an animation of more than ${maxFrames} frames`);
  if (type === 'image/jpeg' && countScans(bytes, maxScans) > maxScans)
    throw invalidImage(`has more than ${maxScans} scans; save it as an ordinary JPEG`);
  const pipeline = toStoredForm(open(maxPixels));
  const { data, info } = await explainFailure(pipeline.toBuffer({ resolveWithObject: true }));
  return { data, width: info.width, height: info.height };
}

/** The pixels and bytes that the header declares, before anything is decoded. @throws Problem `image_invalid` */
function requireDecodable({ width, height, channels, depth }: Metadata): void {
  if (width * height > maxPixels)
    throw invalidImage(`has ${width} × ${height} pixels; at most 50 megapixels are accepted`);
  const bits = depth === 'uchar' ? 8 : 16;
  if (width * height * channels * (bits / 8) > maxDecodedBytes)
    throw invalidImage(
      `has ${width} × ${height} pixels of ${channels} channels with ${bits} bits; at most ` +
        `${maxDecodedBytes / 1e6} MB of pixels are accepted: save it with fewer pixels, without transparency, or as JPEG`,
    );
}

/** By default, sharp removes all metadata and converts every colour profile to sRGB. */
const toStoredForm = (image: Sharp): Sharp =>
  image
    .autoOrient()
    .resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 82, effort: 3 })
    .timeout({ seconds: conversionTimeoutSeconds });

/** Replaces an error of the image library, which the file causes, by a Problem that describes the file. */
async function explainFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isTimeout = /timeout/i.test((error as Error).message);
    throw invalidImage(
      isTimeout ? 'takes too long to decode' : 'cannot be decoded: it is damaged or cut short',
    );
  }
}
