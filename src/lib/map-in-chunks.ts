/** Maps values asynchronously, `size` of them at a time, and returns the results in their order. */
export async function mapInChunks<T, R>(
  values: T[],
  size: number,
  map: (value: T) => R | Promise<R>,
): Promise<R[]> {
  const mapped: R[] = [];
  for (let i = 0; i < values.length; i += size)
    mapped.push(...(await Promise.all(values.slice(i, i + size).map(map))));
  return mapped;
}
