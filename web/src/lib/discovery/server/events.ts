/** The events of a search. */
import { type Client, listEvents } from '@potluck/client';
import type { EventList } from '#lib/discovery/groups.ts';
import { lastPageByDistance, type Search } from '#lib/discovery/search.ts';
import { load } from '#lib/server/problems.ts';
import { toEventRows } from './event-rows.ts';
import { begunBefore, collapsed, type Filters, firstDayOf, toFilters } from './filters.ts';
import { commonTown } from './short-address.ts';

export const pageSize = 24;
/** Events that began before the period: a link leads to all of them. */
const runningSize = 3;
/**
 * "Show more" adds so many pages below each other; a later page begins a new list. Rendering a page takes much longer than
 * reading its data, so a list that is loaded as a document begins later.
 */
const maxPages = { ofData: 10, ofDocument: 2 };

/** The pages of a search up to its page. @param isDocument whether they are rendered, not only read by scripts */
export async function loadEvents(api: Client, search: Search, isDocument: boolean): Promise<EventList> {
  const now = Temporal.Now.instant();
  const last = (search.page - 1) % maxPages.ofData;
  const first = search.page - (isDocument ? Math.min(last, maxPages.ofDocument - 1) : last);
  const query = { ...toFilters(search, now), ...collapsed, order: search.order, limit: pageSize };
  const firstDay = search.order === 'start' && !search.isRunning ? firstDayOf(search, now) : null;
  const read = async (more: Filters) => load(listEvents({ client: api, query: { ...query, ...more } }));
  const startFrom = firstDay && { startFrom: firstDay.toInstant().toString() };
  const [running, ...pages] = await Promise.all([
    firstDay && read({ ...begunBefore(firstDay), limit: runningSize }),
    ...Array.from({ length: search.page - first + 1 }, (_, i) => read({ ...startFrom, page: first + i })),
  ]);
  const { total } = pages.at(-1)?.meta ?? { total: 0 };
  // An event that was added meanwhile moves others to the next page.
  const events = new Map(pages.flatMap(({ data }) => data).map((event) => [event.id, event]));
  const tomorrow = firstDay?.add({ days: 1 }).epochMilliseconds ?? 0;
  const begun = first === 1 ? (running?.data ?? []) : [];
  const listed = [...begun, ...events.values()];
  const isLast = search.order === 'distance' && search.page >= lastPageByDistance;
  const town = search.near ? '' : commonTown(listed.map(({ location }) => location));
  const shown = await toEventRows(api, listed, town);
  return {
    events: shown.slice(begun.length),
    todayCount: [...events.values()].filter(({ startAt }) => Date.parse(startAt) < tomorrow).length,
    running: { events: shown.slice(0, begun.length), total: running?.meta.total ?? 0 },
    total: total + (running?.meta.total ?? 0),
    hasMore: search.page * pageSize < total && !isLast,
    before: first > 1 ? first - 1 : null,
    town,
  };
}
