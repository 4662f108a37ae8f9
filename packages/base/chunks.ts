/** Splits a list into parts of at most `size` elements. */
export function* inChunks<T>(list: T[], size = 500): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}
