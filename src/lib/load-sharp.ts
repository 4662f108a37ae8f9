/**
 * Loads the image library, with settings that apply to the whole process. All code loads it here, so that its order
 * has no effect. Uploaded bytes choose the decoder: all but those of the three accepted formats are disabled, for
 * every image of the process.
 */
import { lazily } from '#base';

export const loadSharp = lazily(async () => {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
  });
  return sharp;
});
