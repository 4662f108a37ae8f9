/** Pages of event lists in the order of start and id. A cursor holds the position of the last event of a page. */

import { Type } from 'typebox';
import { maxId, minId } from '#base';
import { type Statement, sql } from '#pg';
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
/** Of lists, and not of calendars, where each occurrence is an event of its own. */
export const collapse = Type.Optional(
  oneOf(['series'], {
    description:
      'With `series`: of each series only the first occurrence, in the order of the list, of those that the list has without it. A `total` counts it once.',
  }),
);
export const ByStartPage = cursorPage(ListedEvent);

/** `after`: the position after which the slice begins; null for the first page. `now`: when its first page was read, if it collapses. */
export type Slice = {
  when: When | undefined;
  now: Date;
  after: Position | null;
  limit: number;
  collapse: boolean;
};

/**
 * The slice of the list that a query selects: one row more than the page, to know whether there is a next page.
 * @throws Problem `invalid_request` for a cursor of another kind
 */
export function readSlice(
  query: { when?: When; cursor?: string; limit: number; collapse?: 'series' },
  now: Date,
): Slice {
  const common = { when: query.when, limit: query.limit + 1 };
  if (query.collapse) {
    const read = readCursor(query.cursor, 'time', 'id', 'time');
    const after = read && { startAt: read[0], id: read[1] };
    // All pages are of one time: an occurrence that ends between two pages would let the next one of its series follow it.
    return { ...common, after, now: read?.[2] ?? now, collapse: true };
  }
  const position = readCursor(query.cursor, 'time', 'id');
  return {
    ...common,
    ...{ now, collapse: false },
    after: position && { startAt: position[0], id: position[1] },
  };
}

export const toSlicePage = <R extends Position>(
  rows: R[],
  limit: number,
  slice: Pick<Slice, 'collapse' | 'now'> | null = null,
) => toPage(rows, limit, ({ startAt, id }) => [startAt, id, ...(slice?.collapse ? [slice.now] : [])]);

/** SQL: conditions, order and limit of a slice, after a condition of a select from `events e`. */
export const byStart = (slice: Slice): Statement => sql`${inTime(slice)} ${inOrder(slice)}`;

const inTime = ({ when, now }: Slice): Statement =>
  when === 'past' ? sql`and e.end_at <= ${now}` : sql`and (${when === undefined} or e.end_at > ${now})`;

function inOrder({ when, after, limit }: Slice): Statement {
  if (when === 'past') {
    const { startAt, id } = after ?? lastPosition;
    return sql`
      and (e.start_at, e.id) < (${startAt}::timestamptz, ${id}::uuid)
      order by e.start_at desc, e.id desc limit ${limit}`;
  }
  const { startAt, id } = after ?? firstPosition;
  return sql`
    and (e.start_at, e.id) > (${startAt}::timestamptz, ${id}::uuid) order by e.start_at, e.id limit ${limit}`;
}

/**
 * SQL: a slice of a list. Of a list that collapses, the first occurrence of each series is found among all of its occurrences, before
 * the page too; other events are read as of any list.
 * @param columns of `events e`, with id and start_at
 * @param list a selection from `events e`, with its condition
 */
export function selectByStart(columns: Statement, list: Statement, slice: Slice): Statement {
  if (!slice.collapse) return sql`select ${columns} from ${list} ${byStart(slice)}`;
  const backwards = slice.when === 'past' ? sql`desc` : sql``;
  return sql`
    with series as (
      select distinct on (e.series_id) ${columns} from ${list} and e.series_id is not null ${inTime(slice)}
      order by e.series_id, e.start_at ${backwards}, e.id ${backwards}
    ), single as (select ${columns} from ${list} and e.series_id is null ${byStart(slice)})
    select * from (select * from series union all select * from single) e where true ${inOrder(slice)}`;
}
