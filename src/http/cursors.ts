/**
 * Pagination by cursors. A cursor encodes the position of the last row of a page, and is opaque to clients.
 */
import { type TProperties, type TSchema, Type } from 'typebox';
import { invalid } from '../lib/errors.ts';
import { named, nameOf, nullable, pageLimit, ref } from './schemas.ts';

/** The parsers of a cursor's parts; null for an invalid value. */
const kinds = {
  id: (value: unknown) => (typeof value === 'string' && uuid.test(value) ? value : null),
  /** A 32-bit integer. */
  number: (value: unknown) =>
    Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31 ? Number(value) : null,
  time: (value: unknown) => {
    const at = new Date(typeof value === 'string' ? value : Number.NaN);
    return !Number.isNaN(at.getTime()) && at.toISOString() === value && /^\d{4}-/.test(value) ? at : null;
  },
} as const;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

type Kind = keyof typeof kinds;
type Position<K extends readonly Kind[]> = {
  -readonly [I in keyof K]: NonNullable<ReturnType<(typeof kinds)[K[I]]>>;
};

/** The query parameters of a list with cursors. */
export const cursorQuery = {
  cursor: Type.Optional(
    Type.String({
      maxLength: 500,
      description: '`nextCursor` of the page before; left out for the first page.',
    }),
  ),
  limit: pageLimit,
};

/** The schema of a page: `GuestPage` for the named schema `Guest`. Other fields of the page follow those of each page. */
export const cursorPage = <S extends TSchema, P extends TProperties = Record<never, never>>(
  element: S,
  others: P = {} as P,
) =>
  named(
    `${nameOf(element)}Page`,
    Type.Object({
      data: Type.Array(ref(element)),
      nextCursor: nullable(Type.String(), { description: 'For the next page; null on the last one.' }),
      ...others,
    }),
  );

/**
 * Reads the position after which the page begins.
 * @param parts the kinds of its parts
 * @returns null without a cursor, for the first page
 * @throws Problem `invalid_request` for field `cursor`
 */
export function readCursor<const K extends readonly Kind[]>(
  cursor: string | undefined,
  ...parts: K
): Position<K> | null {
  if (cursor === undefined) return null;
  const values = parse(cursor);
  const read = parts.map((kind, i) => kinds[kind](values[i]));
  if (values.length !== parts.length || read.includes(null))
    throw invalid('cursor', 'is not a cursor of this list');
  return read as unknown as Position<K>;
}

function parse(cursor: string): unknown[] {
  try {
    const bytes = Buffer.from(cursor, 'base64url');
    const values: unknown = JSON.parse(bytes.toString());
    // The decoder ignores characters that are not base64url.
    return Array.isArray(values) && bytes.toString('base64url') === cursor ? values : [];
  } catch {
    return [];
  }
}

/**
 * Returns a page and the cursor of the next one. `rows` must have been selected with a limit of `limit + 1`:
 * an additional row shows that there is a next page.
 * @param positionOf the parts of a row's position, in the order of `readCursor`
 */
export function toPage<R>(
  rows: R[],
  limit: number,
  positionOf: (row: R) => (string | number | Date)[],
): { rows: R[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const cursor = last && Buffer.from(JSON.stringify(positionOf(last))).toString('base64url');
  return { rows: shown, nextCursor: cursor ?? null };
}
