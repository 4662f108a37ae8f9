/** The position of the first element of an ascending list that is at least `value`; its length if there is none. */
export function lowerBound(list: ArrayLike<number>, value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
