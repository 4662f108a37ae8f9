/** Reads properties of image files that the image library does not report. */

/**
 * The number of frames that an animated PNG declares; 0 for a still image. The library reports the first
 * frame alone.
 */
export function countApngFrames(png: Buffer): number {
  // A chunk is its length, name, content and checksum. The frame count precedes the image data.
  for (let at = 8; at + 12 <= png.length; at += png.readUInt32BE(at) + 12) {
    const name = png.toString('latin1', at + 4, at + 8);
    if (name === 'acTL') return png.readUInt32BE(at + 8);
    if (name === 'IDAT') return 0;
  }
  return 0;
}

/**
 * The number of scans in a JPEG, including those of an embedded thumbnail. The marker cannot occur inside
 * image data.
 * @param max counting stops above this number
 */
export function countScans(jpeg: Buffer, max: number): number {
  const marker = Buffer.from([0xff, 0xda]);
  let scans = 0;
  for (let at = jpeg.indexOf(marker); at >= 0 && scans <= max; at = jpeg.indexOf(marker, at + 2)) scans++;
  return scans;
}
