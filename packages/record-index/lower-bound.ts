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
