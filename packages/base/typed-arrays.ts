/** The typed arrays in a value, in its objects, arrays and maps at any depth. */
export function typedArraysIn(value: unknown): ArrayBufferView[] {
  if (typeof value !== 'object' || value === null) return [];
  if (ArrayBuffer.isView(value)) return [value];
  const parts = value instanceof Map ? value.values() : Object.values(value);
  return [...parts].flatMap((part) => typedArraysIn(part));
}

/** The memory of the typed arrays in a value, in bytes. */
export const bytesIn = (value: unknown): number =>
  typedArraysIn(value).reduce((sum, { byteLength }) => sum + byteLength, 0);
