/** Lists of events that go on by a cursor: by start and then id, so that a place in the list is that of an event. */

import { Type } from 'typebox';
import { sql } from '../../db/sql.ts';
import { cursorPage, cursorQuery, readCursor, toPage } from '../../http/cursors.ts';
import { oneOf, ref } from '../../http/schemas.ts';
import { ListedEvent } from './schemas.ts';

export type Position = { startAt: Date; id: string };
export type When = 'upcoming' | 'past';

export const firstPosition: Position = {
  startAt: new Date('0001-01-01T00:00:00.000Z'),
  id: '00000000-0000-0000-0000-000000000000',
};
export const lastPosition: Position = {
  startAt: new Date('9999-12-31T23:59:59.999Z'),
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

export const ByStartQuery = Type.Object({
  when: Type.Optional(
    oneOf(['upcoming', 'past'], {
      description:
        '`upcoming`: what has not ended; `past`: what has, the latest first. Left out: everything, by start.',
    }),
  ),
  ...cursorQuery,
});
export const ByStartPage = cursorPage(ref(ListedEvent));

export type Slice = { when: When | undefined; now: Date; after: Position | null; limit: number };

/** From what a client asks to what the database is asked: one more, which tells whether there is a next page. */
export function readSlice(query: { when?: When; cursor?: string; limit: number }, now: Date): Slice {
  const place = readCursor(query.cursor, 'time', 'id');
  return {
    when: query.when,
    now,
    after: place && { startAt: place[0], id: place[1] },
    limit: query.limit + 1,
  };
}

export const toSlicePage = <R extends Position>(rows: R[], limit: number) =>
  toPage(rows, limit, ({ startAt, id }) => [startAt, id]);

/** The end of a select from `events e` that already has a condition. */
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
