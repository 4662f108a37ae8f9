/**
 * Who brings what: the claimants of an event's items, as the list of items shows them to a viewer. Every
 * request reads them from the database, so the list has what was acknowledged before. Requests that wait at the
 * same time share a statement, and those without a token also the result.
 */
import { createLoader, type Database, empty, type Queryable, sql } from '#pg';
import type { Viewer } from '../../../identity/caller.ts';
import { belongsToAudience, type GuestCheck, isOrganizer } from '../../events/audience.ts';
import type { EventRow } from '../../events/present.ts';
import { type EventPerson, listShownPeople } from '../../events/shown-people.ts';
import { type SerializedClaimants, serializeClaimants } from '../item-serializer.ts';
import type { ClaimantRow, ClaimRow } from '../present.ts';

/** Claimants that an item shows. An event has up to 500 items, so a list has up to 5,000 claimants. */
const maxClaimants = 10;
/**
 * Claims of an item among which these are searched: first a few more than are shown, because most people are shown, and
 * then a bound for the cost if many are not.
 */
const searched = [15, 100];
/** Viewers in a batch, and batches at a time. Few, because a list may have thousands of claimants. */
const [maxBatchSize, concurrency] = [4, 2];

type ClaimantKey = { eventId: string; viewerId: string | null; seesAll: boolean };

/** Loads the claimants; null if the viewer does not belong to the audience of `claimantVisibility`. */
export type ClaimantLoader = (event: EventRow, viewer: Viewer | null) => Promise<SerializedClaimants | null>;

export function createClaimantLoader(db: Database, isGuest: GuestCheck, publicUrl: string): ClaimantLoader {
  const load = createLoader(
    async (keys: ClaimantKey[]) => {
      const lists: SerializedClaimants[] = [];
      for (const rows of await Promise.all(keys.map((key) => listClaimants(db, key))))
        lists.push(await serializeClaimants(rows, publicUrl));
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
 * Lists the first claimants of each item of an event, or of item `n`, by the age of their accounts.
 *
 * A viewer who is neither organizer nor admin sees claimants with an RSVP, by the rule of guest lists. A claim
 * outlives its RSVP, and a person who hid the RSVP and then removed it must not appear.
 */
export async function listClaimants(db: Queryable, key: ClaimantKey, n?: number): Promise<ClaimantRow[]> {
  const lists = new Map<number, ClaimantRow[]>();
  let items: number[] | null = n === undefined ? null : [n];
  for (const limit of searched) {
    const claims = await listFirstClaims(db, key.eventId, items, limit);
    const people = await listShownPeople(db, { id: key.viewerId, seesAll: key.seesAll }, claims);
    items = [];
    for (const [itemNumber, ofItem] of Map.groupBy(claims, (claim) => claim.n)) {
      const shown = ofItem.flatMap(({ userId, quantity, note }) => {
        const person = people.get(userId);
        return person ? [{ ...person, n: itemNumber, quantity, note }] : [];
      });
      lists.set(itemNumber, shown.slice(0, maxClaimants));
      if (ofItem.length === limit && shown.length < maxClaimants) items.push(itemNumber);
    }
    if (items.length === 0) break;
  }
  return [...lists.values()].flat();
}

type FirstClaim = EventPerson & Pick<ClaimRow, 'n' | 'quantity' | 'note'>;

/** The first claims of each item by the age of the accounts. @param items numbers of items; null for all of the event */
const listFirstClaims = (
  db: Queryable,
  eventId: string,
  items: number[] | null,
  limit: number,
): Promise<FirstClaim[]> =>
  db.query<FirstClaim>(sql`
    select i.n, c.user_id, c.quantity, c.note,
      case when r.user_id is not null then coalesce(r.is_hidden, false) end as is_hidden
    from items i
    cross join lateral (
      select user_id, quantity, note from claims where event_id = ${eventId} and n = i.n order by user_id limit ${limit}
    ) c
    left join rsvps r on r.event_id = ${eventId} and r.user_id = c.user_id
    where i.event_id = ${eventId} ${items ? sql`and i.n = any(${items}::int[])` : empty}
    order by i.n, c.user_id`);
