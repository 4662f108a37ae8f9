/** Malformed and malicious image files for upload tests. */
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

export type Hostile = { name: string; type: string; bytes: Buffer };

function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const uints = (...numbers: number[]) => {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [i, number] of numbers.entries()) bytes.writeUInt32BE(number, i * 4);
  return bytes;
};

/** The maximum size of the pixel data: a decompression bomb declares more data than it contains. */
const maxDataBytes = 60_000_000;

/** Creates a PNG of 8-bit grey pixels that contains only the first `rows` rows of the image. */
export const greyPng = (width: number, height: number, rows = height, extra: Buffer[] = []): Buffer =>
  png({
    width,
    height,
    format: [8, 0],
    data: Buffer.alloc(Math.min((width + 1) * rows, maxDataBytes)),
    extra,
  });

/** Creates a PNG of 16-bit pixels with four channels that contains only the first `rows` rows of the image. */
export const deepPng = (width: number, height: number, rows = height): Buffer =>
  png({ width, height, format: [16, 6], data: Buffer.alloc((width * 8 + 1) * rows) });

/** @param image.format the bits of a channel, and the colour type */
function png(image: {
  width: number;
  height: number;
  format: [number, number];
  data: Buffer;
  extra?: Buffer[];
}): Buffer {
  const { width, height, format, data, extra = [] } = image;
  const head = chunk('IHDR', Buffer.concat([uints(width, height), Buffer.from([...format, 0, 0, 0])]));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    head,
    ...extra,
    chunk('IDAT', deflateSync(data)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: 'white',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  });

/**
 * Inserts a segment after the start marker of a JPEG.
 * @param length the content length that the segment declares
 */
export function withSegment(jpeg: Buffer, marker: number, content: Buffer, length = content.length): Buffer {
  const head = Buffer.from([0xff, marker, ((length + 2) >> 8) & 0xff, (length + 2) & 0xff]);
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
}

/** Creates a progressive JPEG whose last scan is repeated `count` times. */
async function manyScans(count: number): Promise<Buffer> {
  const jpeg = await noise(64, 64).jpeg({ progressive: true }).toBuffer();
  const last = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scan = jpeg.subarray(last, -2);
  return Buffer.concat([jpeg.subarray(0, last), ...Array(count).fill(scan), jpeg.subarray(-2)]);
}

function corruptAt(bytes: Buffer, marker: number, write: (bytes: Buffer, at: number) => void): Buffer {
  const copy = Buffer.from(bytes);
  write(copy, copy.indexOf(Buffer.from([0xff, marker])));
  return copy;
}

export async function hostileImages(): Promise<Hostile[]> {
  const jpeg = await noise(300, 200).jpeg().toBuffer();
  const png = await noise(300, 200).png().toBuffer();
  const webp = await noise(300, 200).webp().toBuffer();
  const gif = await noise(30, 20).gif().toBuffer();
  const tiff = await noise(30, 20).tiff().toBuffer();
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>',
  );
  const html = Buffer.from('<!doctype html><script>alert(1)</script>');
  const frames = chunk('acTL', uints(5_000, 0));
  return [
    { name: 'a truncated JPEG', type: 'image/jpeg', bytes: jpeg.subarray(0, jpeg.length / 2) },
    { name: 'a truncated PNG', type: 'image/png', bytes: png.subarray(0, png.length / 2) },
    { name: 'a truncated WebP', type: 'image/webp', bytes: webp.subarray(0, webp.length / 2) },
    { name: 'a PNG with half of its rows', type: 'image/png', bytes: greyPng(400, 400, 200) },
    { name: 'an empty file', type: 'image/png', bytes: Buffer.alloc(0) },
    { name: 'a JPEG signature without content', type: 'image/jpeg', bytes: Buffer.from([0xff, 0xd8, 0xff]) },
    { name: 'HTML declared as JPEG', type: 'image/jpeg', bytes: html },
    { name: 'SVG declared as PNG', type: 'image/png', bytes: svg },
    {
      name: 'SVG after the signature of a PNG',
      type: 'image/png',
      bytes: Buffer.concat([png.subarray(0, 8), svg]),
    },
    { name: 'GIF declared as PNG', type: 'image/png', bytes: gif },
    { name: 'TIFF declared as JPEG', type: 'image/jpeg', bytes: tiff },
    { name: 'GIF declared as application/octet-stream', type: 'application/octet-stream', bytes: gif },
    {
      name: 'a JPEG after the signature of a PNG',
      type: 'image/jpeg',
      bytes: Buffer.concat([png.subarray(0, 8), jpeg]),
    },
    {
      name: 'a PDF header followed by a JPEG',
      type: 'image/jpeg',
      bytes: Buffer.concat([Buffer.from('%PDF-1.7\n'), jpeg]),
    },
    {
      name: 'a GIF header followed by a JPEG',
      type: 'image/jpeg',
      bytes: Buffer.concat([Buffer.from('GIF89a/*'), jpeg]),
    },
    {
      name: 'a decompression bomb of 3,600 megapixels',
      type: 'image/png',
      bytes: greyPng(60_000, 60_000, 1),
    },
    {
      name: 'a decompression bomb of 2 billion pixels per side',
      type: 'image/png',
      bytes: greyPng(0x7fffffff, 0x7fffffff, 1),
    },
    { name: 'an animation of 5,000 frames', type: 'image/png', bytes: greyPng(20, 20, 20, [frames]) },
    {
      name: 'a JPEG with a corrupt frame header',
      type: 'image/jpeg',
      bytes: corruptAt(jpeg, 0xc0, (b, at) => b.writeUInt16BE(3, at + 2)),
    },
    {
      name: 'a JPEG without tables',
      type: 'image/jpeg',
      bytes: corruptAt(jpeg, 0xc4, (b, at) => b.fill(0, at, at + 40)),
    },
    {
      name: 'a JPEG with corrupt scan data',
      type: 'image/jpeg',
      bytes: corruptAt(jpeg, 0xda, (b, at) => b.fill(0xff, at + 200, at + 900)),
    },
    {
      name: 'a JPEG with EXIF longer than the file',
      type: 'image/jpeg',
      bytes: withSegment(jpeg, 0xe1, Buffer.from('Exif\0\0'), 0xfff0).subarray(0, 40_000),
    },
    { name: 'a JPEG of 3,000 scans', type: 'image/jpeg', bytes: await manyScans(3_000) },
    {
      name: 'a WebP that declares a wrong size',
      type: 'image/webp',
      bytes: Buffer.concat([webp.subarray(0, 4), Buffer.from([0xff, 0xff, 0xff, 0x7f]), webp.subarray(8)]),
    },
    {
      name: 'a WebP signature followed by invalid bytes',
      type: 'image/webp',
      bytes: Buffer.concat([Buffer.from('RIFF\x10\0\0\0WEBPVP8X'), Buffer.alloc(500, 7)]),
    },
  ];
}
