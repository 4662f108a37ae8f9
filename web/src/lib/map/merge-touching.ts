/** Each of `all`, or merged into the first before it that it touches. */
export function mergeTouching<T>(
  all: T[],
  touch: (earlier: T, later: T) => boolean,
  merge: (earlier: T, later: T) => T,
): T[] {
  const apart: T[] = [];
  for (const later of all) {
    const i = apart.findIndex((earlier) => touch(earlier, later));
    const earlier = apart[i];
    if (earlier === undefined) apart.push(later);
    else apart[i] = merge(earlier, later);
  }
  return apart;
}
