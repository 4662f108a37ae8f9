/**
 * Who brings what: the claimants of an event's items, as the list of items shows them to a viewer. Every
 * request reads them from the database, so the list has what was acknowledged before. Requests that wait at the
 * same time share a statement, and those without a token also the result.
 */
import { createLoader } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import type { Queryable } from '../../db/query.ts';
import { empty, sql } from '../../db/sql.ts';
import type { Viewer } from '../../identity/caller.ts';
import { belongsToAudience, type GuestCheck, isOrganizer, isShownTo } from '../events/audience.ts';
import type { EventRow } from '../events/present.ts';
import { type SerializedClaimants, serializeClaimants } from './item-serializer.ts';
import type { ClaimantRow } from './present.ts';

/** Claimants that an item shows. An event has up to 500 items, so a list has up to 5,000 claimants. */
const maxClaimants = 10;
/** Claims of an item among which these are searched: a bound for the cost if many are not shown. */
const maxSearched = 100;
/** Viewers in a statement, and statements at a time. Few, because a list may have thousands of claimants. */
const [maxBatchSize, concurrency] = [4, 2];

type ClaimantKey = { eventId: string; viewerId: string | null; seesAll: boolean };

/** Loads the claimants; null if the viewer does not belong to the audience of `claimantVisibility`. */
export type ClaimantLoader = (event: EventRow, viewer: Viewer | null) => Promise<SerializedClaimants | null>;

export function createClaimantLoader(db: Database, isGuest: GuestCheck, publicUrl: string): ClaimantLoader {
  const load = createLoader(
    async (keys: ClaimantKey[]) => {
      const rows = Map.groupBy(await listClaimants(db, keys), ({ nth }) => nth);
      const lists: SerializedClaimants[] = [];
      for (const [i] of keys.entries())
        lists.push(await serializeClaimants(rows.get(i + 1) ?? [], publicUrl));
      return lists;
    },
    {
      keyOf: ({ eventId, viewerId, seesAll }) => `${eventId} ${viewerId} ${seesAll}`,
      maxBatchSize,
      concurrency,
    },
  );
  return async (event, viewer) => {
    if (!(await belongsToAudience(event.claimantVisibility, event, viewer, isGuest))) return null;
    return load({ eventId: event.id, viewerId: viewer?.id ?? null, seesAll: isOrganizer(event, viewer) });
  };
}

/**
 * Lists the first claimants of each item of the events, or of item `n`, by the age of their accounts. `nth` of a
 * row: the number of the key, from 1.
 *
 * A viewer who is neither organizer nor admin sees claimants with an RSVP, by the rule of guest lists. A claim
 * outlives its RSVP, and a person who hid the RSVP and then removed it must not appear.
 */
export const listClaimants = (db: Queryable, keys: ClaimantKey[], n?: number) =>
  db.query<ClaimantRow & { nth: number }>(sql`
    select k.nth::int, i.n, c.id, c.name, c.avatar_upload, c.quantity
    from unnest(${keys.map(({ eventId }) => eventId)}::uuid[], ${keys.map(({ viewerId }) => viewerId)}::uuid[],
      ${keys.map(({ seesAll }) => seesAll)}::boolean[]) with ordinality k (event_id, viewer_id, sees_all, nth)
    join items i on i.event_id = k.event_id ${n === undefined ? empty : sql`and i.n = ${n}`}
    cross join lateral (
      select u.id, u.name, u.avatar_upload, c.quantity
      from (
        select user_id, quantity from claims where event_id = i.event_id and n = i.n
        order by user_id limit ${maxSearched}
      ) c
      join users u on u.id = c.user_id
      left join rsvps r on r.event_id = i.event_id and r.user_id = c.user_id
      left join relations v on v.user_id = k.viewer_id and v.other_id = c.user_id
      where u.suspended_at is null
        and (k.sees_all or r.user_id is not null and ${isShownTo(sql`k.viewer_id`)})
      order by c.user_id limit ${maxClaimants}
    ) c
    order by k.nth, i.n, c.id`);
