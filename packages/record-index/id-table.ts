/** A hash table with open addressing that finds an id in a column of ids, 16 bytes each. */

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
