/** The JSON form of OTLP: 64-bit numbers are strings, and ids hexadecimal digits. */

type AnyValue = Record<string, unknown>;
export type KeyValue = { key: string; value: AnyValue };

export const toKeyValues = (values: object): KeyValue[] =>
  Object.entries(values).map(([key, value]) => ({ key, value: toAnyValue(value) }));

function toAnyValue(value: unknown): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: toDouble(value) };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(toAnyValue) } };
  return typeof value === 'object' && value !== null ? { kvlistValue: { values: toKeyValues(value) } } : {};
}

/** JSON has no other numbers. */
export const toDouble = (value: number): number | string => (Number.isFinite(value) ? value : `${value}`);

/** Milliseconds since 1970 as nanoseconds. Below a microsecond, a number of this size is not exact. */
export const nanosOf = (ms: number): string => `${Math.floor(ms * 1_000)}000`;

/** What `performance.now` counts from. It stays when the clock is set. */
let origin = performance.timeOrigin;
const maxDriftMs = 5;

/** The time in ms since 1970, with fractions. */
export const now = (): number => origin + performance.now();

/** Follows the clock of the machine. To be called from time to time. */
export function followClock(): void {
  const current = Date.now() - performance.now();
  if (Math.abs(current - origin) > maxDriftMs) origin = current;
}
