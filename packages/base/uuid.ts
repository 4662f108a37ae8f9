/** Ids that sort by the time of their creation: UUIDv7. */
import { randomUUIDv7 } from 'node:crypto';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The nil UUID: sorts before every id, and belongs to nothing. */
export const minId = '00000000-0000-0000-0000-000000000000';
/** The max UUID: sorts after every id, and belongs to nothing. */
export const maxId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Returns a new id. Ids sort by time of creation. */
export const newId = (): string => randomUUIDv7();

/** Returns a new id that sorts as if it were created at `at`. */
export function newIdAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}${newId().slice(13)}`;
}

/** The time at which an id was created. */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));

/** The UUID that follows `id` in their order. It belongs to nothing. */
export function idAfter(id: string): string {
  const next = BigInt(`0x${id.replaceAll('-', '')}`) + 1n;
  return toId(next.toString(16).padStart(32, '0'));
}

/** A UUID as 16 bytes. Each event of a list is found by its id, so this creates no other text. */
export function packId(id: string): Buffer {
  const bytes = Buffer.allocUnsafe(16);
  for (let at = 0, i = 0; at < 16; at++, i += 2) {
    if (id[i] === '-') i++;
    bytes[at] = (digitAt(id, i) << 4) | digitAt(id, i + 1);
  }
  return bytes;
}

/** The value of a hexadecimal digit: letters have bit 6. */
function digitAt(id: string, i: number): number {
  const code = id.charCodeAt(i);
  return (code & 15) + 9 * (code >>> 6);
}

/** The UUID whose 16 bytes begin at an offset. */
export const unpackId = (bytes: Uint8Array, offset = 0): string =>
  toId(Buffer.from(bytes.buffer, bytes.byteOffset + offset, 16).toString('hex'));

const toId = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;

/** Returns the id in lower case; null if the text is not a UUID: nothing can have this id. */
export const parseId = (text: string): string | null => (uuid.test(text) ? text.toLowerCase() : null);
