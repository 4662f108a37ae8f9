/** Finds the positions of values in columns: in sorted ones by binary search, and of ids by a hash table. */

/**
 * Finds the first index, of those below `length`, for which `isBefore` does not hold, by binary search; `length` if there is
 * none. `isBefore` must hold for all indexes below the found one, and for no other.
 */
export function partitionPoint(length: number, isBefore: (i: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The position of the first element of an ascending list that is at least `value`; its length if there is none.
 * @param begin @param end the part of the list that is searched, if it is not the whole list
 */
export function lowerBound(list: ArrayLike<number>, value: number, begin = 0, end = list.length): number {
  // Without calls of a function: a query looks up hundreds of cells.
  let [low, high] = [begin, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares the bytes of `column` from `offset` on with `other`: negative, 0 or positive. */
export function compareBytes(
  column: Uint8Array,
  offset: number,
  other: Uint8Array,
  length = other.length,
): number {
  for (let i = 0; i < length; i++) {
    const difference = (column[offset + i] as number) - (other[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The position of `wanted` in a sorted column of values of `width` bytes each; −1 if it is not there. */
export function findBytes(column: Uint8Array, width: number, wanted: Uint8Array): number {
  const size = column.length / width;
  const place = partitionPoint(size, (i) => compareBytes(column, i * width, wanted) < 0);
  return place < size && compareBytes(column, place * width, wanted) === 0 ? place : -1;
}

/** Slots for each id at least. More slots make look-ups shorter and the table larger. */
const slotsPerId = 1.5;

/**
 * Creates the table of a column of ids, 16 bytes each. A slot has the position of an id plus 1, or 0 if it is empty. The
 * number of slots is a power of two, and at least one slot is empty.
 */
export function createIdTable(ids: Uint8Array): Uint32Array {
  const size = ids.length / 16;
  const table = new Uint32Array(2 ** Math.ceil(Math.log2(size * slotsPerId + 1)));
  const mask = table.length - 1;
  for (let position = 0; position < size; position++) {
    let slot = hashAt(ids, position * 16) & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = position + 1;
  }
  return table;
}

/** The position of the id that `bytes` has from `offset` on; −1 if it is not in the column. */
export function findId(table: Uint32Array, ids: Uint8Array, bytes: Uint8Array, offset: number): number {
  const mask = table.length - 1;
  for (let slot = hashAt(bytes, offset) & mask; ; slot = (slot + 1) & mask) {
    const position = (table[slot] as number) - 1;
    if (position < 0 || isEqual(ids, position * 16, bytes, offset)) return position;
  }
}

function isEqual(ids: Uint8Array, at: number, bytes: Uint8Array, offset: number): boolean {
  // Ids that are created at the same time differ at the end.
  for (let i = 15; i >= 0; i--) if (ids[at + i] !== bytes[offset + i]) return false;
  return true;
}

/** Mixes all bits: some parts of ids are equal for all events that are created at the same time. */
function hashAt(bytes: Uint8Array, offset: number): number {
  let hash = 0;
  for (let i = offset; i < offset + 16; i += 4) {
    const word =
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
