/** What lists show beside the records of events: some of the guests, the booked seats, and how much is still needed. */
import { createLoader, type Database, queryEach, sql } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { belongsToAudience, isOrganizer } from '../events/audience.ts';
import type { EventRow } from '../events/present.ts';
import type { EventServices } from '../events/services.ts';
import { isVisibleTo } from '../events/standings.ts';
import { toPerson } from '../people/present.ts';
import { type EventGuests, guestsRead, listFirstGuests } from './first-guests.ts';
import type { EventHighlights } from './highlight-schemas.ts';

/** A list has up to 50 events; one statement reads several lists. */
const maxEventsPerStatement = 500;

type HighlightRow = {
  /** Null for an unknown id. */
  event: Pick<
    EventRow,
    'id' | 'organizerId' | 'visibility' | 'hidden' | 'status' | 'guestListVisibility' | 'bookedCount'
  > | null;
  /** The first `guestsRead` who are going. */
  guests: EventGuests['first'];
  /** Items of the bring-list of which not all are claimed. */
  neededCount: number;
};

/** Reads what an event has, for all viewers alike. Simultaneous lists share statements. */
export type HighlightLoader = (eventId: string) => Promise<HighlightRow>;

export const createHighlightLoader = (db: Database): HighlightLoader =>
  createLoader((ids: string[]) => listHighlightRows(db, ids), {
    keyOf: (id) => id,
    maxBatchSize: maxEventsPerStatement,
  });

const listHighlightRows = (db: Database, ids: string[]): Promise<HighlightRow[]> =>
  queryEach<HighlightRow, { eventId: string }>(
    db,
    ids.map((eventId) => ({ eventId })),
    { eventId: 'uuid' },
    ({ eventId }) => sql`
      select
        (
          select json_build_object('id', e.id, 'organizerId', e.organizer_id, 'visibility', e.visibility,
            'hidden', e.hidden, 'status', e.status, 'guestListVisibility', e.guest_list_visibility,
            'bookedCount', c.booked_count)
          from events e join event_counters c on c.event_id = e.id where e.id = ${eventId}
        ) as event,
        (
          select coalesce(
            json_agg(json_build_object('userId', r.user_id, 'isHidden', coalesce(r.is_hidden, false)) order by r.user_id),
            '[]')
          from (
            select user_id, is_hidden from rsvps where event_id = ${eventId} and status = 'going'
            order by user_id limit ${guestsRead}
          ) r
        ) as guests,
        (
          select count(*)::int
          from items i
          join item_stock s on s.event_id = i.event_id and s.n = i.n
          join events e on e.id = i.event_id
          where i.event_id = ${eventId} and i.kind = 'bring' and s.claimed < s.needed
            and e.status = 'scheduled' and 'bringList' = any(e.enabled_modules)
        ) as needed_count`,
  );

type Services = Pick<EventServices, 'db' | 'isGuest' | 'isInvited' | 'config'> & {
  highlights: HighlightLoader;
};

/** Finds the highlights of those of the events that the viewer may see. */
export async function findHighlights(
  services: Services,
  ids: string[],
  viewer: Viewer | null,
): Promise<EventHighlights[]> {
  const all = await Promise.all(ids.map((id) => find(services, id, viewer)));
  const found = all.filter((each) => each !== null);
  const guests = await listFirstGuests(services.db, viewer, found);
  const { publicUrl } = services.config;
  return found.map(({ eventId, bookedCount, neededCount }, i) => ({
    id: eventId,
    bookedCount,
    neededCount,
    guests: (guests[i] ?? []).map((person) => toPerson(person, publicUrl)),
  }));
}

/** What an event has, without guests if the viewer may not list them; null if the viewer may not see the event. */
async function find({ highlights, isGuest, isInvited }: Services, eventId: string, viewer: Viewer | null) {
  const { event, guests, neededCount } = await highlights(eventId);
  if (!event || !(await isVisibleTo(isInvited, eventId, event, viewer))) return null;
  const { bookedCount, guestListVisibility } = event;
  const listsGuests =
    guests.length > 0 && (await belongsToAudience(guestListVisibility, event, viewer, isGuest));
  const seesAll = isOrganizer(event, viewer);
  return { eventId, bookedCount, neededCount, seesAll, first: listsGuests ? guests : [] };
}
