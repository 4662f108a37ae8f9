/**
 * The public events in the order of their last change, with tombstones of those that lists no longer show: for programs that
 * keep a copy. The database computes these lists. There are no filters, because an event that a change takes out of a filter
 * would need a tombstone of its own for each filter.
 */
import { dayMs, type FairQueue, largestNetworkOf, minId, readFrom } from '#base';
import { empty, type Queryable, readSettledTime, type Statement, sql } from '#pg';
import { readCursor, toPage } from '../../http/cursors.ts';
import type { Viewer } from '../../identity/caller.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { toCachedEvent } from '../events/event-cache.ts';
import { type ListElement, listedJson } from '../events/event-serializer.ts';
import { isListed, listedCondition } from '../events/policy.ts';
import { listEventRows } from '../events/repo.ts';
import type { EventSync, EventTombstone } from '../events/schemas.ts';
import type { EventServices } from '../events/services.ts';
import { tombstoneDays } from '../events/tombstones.ts';
import type { EventListQuery } from './schemas.ts';

/** `since`: null for a first copy, which has all events and no tombstones. */
type Selection = { since: Date | null; cursor: string | undefined; limit: number };
export type UpdatedRequest = Selection & { viewer: Viewer | null; address: string };
type UpdatedPage = { elements: ListElement[]; total: number; sync: EventSync };
export type UpdatedEvents = (request: UpdatedRequest) => Promise<UpdatedPage>;

/**
 * Reads the parameters of the list by change.
 * @throws Problem `invalid_request` for parameters of other lists; `updated_since_too_old`
 */
export function readSelection(query: EventListQuery, now: Date): Selection {
  const { updatedSince, order = 'updated', cursor, limit, page, ...filters } = query;
  if (order !== 'updated') throw invalid('order', 'must be updated with updatedSince');
  if (page !== 1) throw invalid('page', 'must be 1 with order=updated, whose pages have cursors');
  // An empty text counts as absent, and a trait that is `false` selects nothing.
  const filter = Object.entries(filters).find(([, value]) => value !== '' && value !== false);
  if (filter) throw invalid(filter[0], 'cannot be combined with order=updated');
  const since = readFrom(updatedSince);
  if (since && now.getTime() - since.getTime() > tombstoneDays * dayMs)
    throw new Problem('updated_since_too_old');
  return { since, cursor, limit };
}

/** @param statements runs the statements on the database */
export const createUpdatedEvents =
  (services: EventServices, statements: FairQueue): UpdatedEvents =>
  async (request) => {
    const { viewer, address } = request;
    const hidden = viewer ? await services.people.blockedBy(viewer.id) : [];
    return statements.run(largestNetworkOf(address), () => readPage(services, request, hidden));
  };

/**
 * The cursor has the settled time and the total of the first page. The settled time is shown on the last page alone, so that a
 * client cannot miss the changes of pages that it has not read.
 */
async function readPage(
  { db, viewerStates, config }: EventServices,
  { since, cursor, limit, viewer }: UpdatedRequest,
  hidden: string[],
): Promise<UpdatedPage> {
  const shown = conditionOf(hidden);
  const [at, id, settled, total] = readCursor(cursor, 'time', 'id', 'time', 'number') ?? [
    since ?? new Date(0),
    minId,
    await readSettledTime(db),
    await countUpdated(db, shown, since),
  ];
  const position = { at, id, limit: limit + 1, hasTombstones: since !== null };
  const found = await db.query<Change>(changesAfter(shown, position));
  const { rows, nextCursor } = toPage(found, limit, (row) => [row.at, row.id, settled, total]);
  const ids = rows.filter(({ reason }) => reason === null).map((row) => row.id);
  // Read from the database, because no event may be missing: in a cache, its newest version may not have arrived.
  const events = new Map((await listEventRows(db, ids)).filter(isListed).map((row) => [row.id, row]));
  const current = ids.flatMap((each) => events.get(each) ?? []);
  const states =
    viewer && current.length > 0
      ? await viewerStates.findMany({ userId: viewer.id, eventIds: current.map((row) => row.id) })
      : null;
  const elements = current.map((row, i) => ({
    json: listedJson(toCachedEvent(row), config.publicUrl),
    place: row,
    distanceKm: null,
    viewerState: states?.[i] ?? null,
  }));
  const tombstones = rows.flatMap(({ id, reason, at }) => (reason ? { id, reason, at } : []));
  return { elements, total, sync: { tombstones, nextCursor, syncedAt: nextCursor ? null : settled } };
}

/** `reason`: null for an event that lists show. `at`: the time of its last change, or of the tombstone. */
type Change = { at: Date; id: string; reason: EventTombstone['reason'] | null };

const conditionOf = (hiddenOrganizers: string[]): Statement =>
  hiddenOrganizers.length > 0
    ? sql`${listedCondition()} and e.organizer_id <> all(${hiddenOrganizers}::uuid[])`
    : listedCondition();

async function countUpdated(db: Queryable, shown: Statement, since: Date | null): Promise<number> {
  const updated = since ? sql`and e.updated_at >= ${since}` : empty;
  const [row] = await db.query<{ total: number }>(sql`
    select count(*)::int as total from events e where ${shown} ${updated}`);
  return row?.total ?? 0;
}

/**
 * The events and tombstones after a position, by time and id. They are one statement, in whose snapshot an event has a place
 * in lists or a tombstone.
 */
const changesAfter = (
  shown: Statement,
  { at, id, limit, hasTombstones }: { at: Date; id: string; limit: number; hasTombstones: boolean },
): Statement => sql`
  select * from (
    (select e.updated_at as at, e.id, null::text as reason from events e
      where ${shown} and (e.updated_at, e.id) > (${at}::timestamptz, ${id}::uuid)
      order by e.updated_at, e.id limit ${limit})
    ${hasTombstones ? sql`union all ${tombstonesAfter(at, id, limit)}` : empty}
  ) changes
  order by at, id limit ${limit}`;

const tombstonesAfter = (at: Date, id: string, limit: number): Statement => sql`
  (select t.at, t.event_id, t.reason from event_tombstones t
    where (t.at, t.event_id) > (${at}::timestamptz, ${id}::uuid)
    order by t.at, t.event_id limit ${limit})`;
