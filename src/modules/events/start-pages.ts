/** Pages of event lists in the order of start and id. A cursor holds the position of the last event of a page. */

import { Type } from 'typebox';
import { maxId, minId } from '#base';
import { sql } from '#pg';
import { cursorPage, cursorQuery, readCursor, toPage } from '../../http/cursors.ts';
import { oneOf } from '../../http/schemas.ts';
import { ListedEvent } from './schemas.ts';

export type Position = { startAt: Date; id: string };
export type When = 'upcoming' | 'past';

export const firstPosition: Position = {
  startAt: new Date('0001-01-01T00:00:00.000Z'),
  id: minId,
};
export const lastPosition: Position = {
  startAt: new Date('9999-12-31T23:59:59.999Z'),
  id: maxId,
};

export const ByStartQuery = Type.Object({
  when: Type.Optional(
    oneOf(['upcoming', 'past'], {
      description:
        '`upcoming`: events that have not ended, by start; `past`: events that have, the latest first. Default: all, by start.',
    }),
  ),
  ...cursorQuery,
});
export const ByStartPage = cursorPage(ListedEvent);

/** `after`: the position after which the slice begins; null for the first page. */
export type Slice = { when: When | undefined; now: Date; after: Position | null; limit: number };

/**
 * The slice of the list that a query selects: one row more than the page, to know whether there is a next page.
 * @throws Problem `invalid_request` for a cursor of another kind
 */
export function readSlice(query: { when?: When; cursor?: string; limit: number }, now: Date): Slice {
  const position = readCursor(query.cursor, 'time', 'id');
  return {
    when: query.when,
    now,
    after: position && { startAt: position[0], id: position[1] },
    limit: query.limit + 1,
  };
}

export const toSlicePage = <R extends Position>(rows: R[], limit: number) =>
  toPage(rows, limit, ({ startAt, id }) => [startAt, id]);

/** SQL: conditions, order and limit of a slice, after a condition of a select from `events e`. */
export function byStart({ when, now, after, limit }: Slice) {
  if (when === 'past') {
    const { startAt, id } = after ?? lastPosition;
    return sql`
      and e.end_at <= ${now} and (e.start_at, e.id) < (${startAt}::timestamptz, ${id}::uuid)
      order by e.start_at desc, e.id desc limit ${limit}`;
  }
  const { startAt, id } = after ?? firstPosition;
  return sql`
    and (${when === undefined} or e.end_at > ${now}) and (e.start_at, e.id) > (${startAt}::timestamptz, ${id}::uuid)
    order by e.start_at, e.id limit ${limit}`;
}
