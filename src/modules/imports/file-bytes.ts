/** The bounds of files that are imported, and their encodings. */
import { isUtf8 } from 'node:buffer';
import { mapInTurns } from '#base';
import { CalendarError } from './calendar-error.ts';

const maxBytes = 5_000_000;
export const maxEntries = 5_000;
/** Of a file: UTF-16 has up to two bytes for each of UTF-8. */
export const maxFileBytes = 2 * maxBytes + 2;

/**
 * Converts UTF-16, with or without a byte order mark, to UTF-8, and removes a byte order mark of UTF-8. Other encodings stay.
 * @throws CalendarError for more bytes than a file may have
 */
export function toUtf8(bytes: Buffer): Buffer {
  if (bytes.length > maxFileBytes) throw tooLarge();
  const decoded = withoutUtf16(bytes);
  if (decoded.length > maxBytes) throw tooLarge();
  return decoded;
}

function withoutUtf16(bytes: Buffer): Buffer {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return bytes.subarray(3);
  const isLittle = (a === 0xff && b === 0xfe) || (a !== 0 && b === 0);
  const isBig = (a === 0xfe && b === 0xff) || (a === 0 && b !== 0);
  if (!isLittle && !isBig) return bytes;
  const start = a === 0xff || a === 0xfe ? 2 : 0;
  const pairs = Buffer.from(bytes.subarray(start, bytes.length - (bytes.length % 2)));
  const text = (isLittle ? pairs : pairs.swap16()).toString('utf16le');
  return Buffer.from(text.toWellFormed());
}

/** In bytes: about a millisecond of work. */
const pieceLength = 64 * 1024;

/**
 * The text of a file that has one encoding, in pieces, with \n at the end of each line: what is not UTF-8 is Windows-1252, which has the
 * characters of Latin-1. NUL, which PostgreSQL cannot store, is left out.
 * @throws CalendarError for more bytes than a file may have
 */
export async function decodeText(bytes: Buffer): Promise<string[]> {
  const decoded = toUtf8(bytes);
  const decoder = new TextDecoder(isUtf8(decoded) ? 'utf-8' : 'windows-1252');
  const count = Math.ceil(decoded.length / pieceLength);
  let isAfterReturn = false;
  return mapInTurns(Array(count).keys(), (i) => {
    const piece = decoded.subarray(i * pieceLength, (i + 1) * pieceLength);
    const text = decoder.decode(piece, { stream: true });
    // A line break of two characters may be divided between pieces.
    const rest = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
    isAfterReturn = text.endsWith('\r');
    return rest.replace(/\r\n?/g, '\n').replaceAll('\0', '');
  });
}

export const tooLarge = (): CalendarError =>
  new CalendarError('payload_too_large', `has more than ${maxBytes / 1e6} MB`);

export const tooManyEntries = (): CalendarError =>
  new CalendarError('payload_too_large', `has more than ${maxEntries.toLocaleString('en')} entries`);
