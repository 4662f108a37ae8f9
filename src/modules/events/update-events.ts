/** Changes events, with all that follows for their guests. */
import { assignments, type Statement, sql, type Transaction, update } from '#pg';
import { insertFanOuts } from '../../outbox/causes.ts';
import { type ChangeMessage, storeNotices } from '../../outbox/notices.ts';
import { addToEventsCount } from '../people/counters.ts';
import { changedEvents } from './changed-events.ts';
import { approvePresent } from './event-people.ts';
import { changesCalendar, noticeOf } from './event-rules.ts';
import {
  columns,
  type EventChanges,
  eventsCountOf,
  exactPlaceOf,
  isNews,
  noChanges,
  type Occurrence,
  occurrenceColumns,
  recordEventChanges,
  updateTime,
} from './event-writes.ts';
import type { PlacedEvent, StoredFields } from './exact-place.ts';
import { listingKeysOf } from './listing-keys.ts';
import { isListed } from './policy.ts';
import { type SearchedTexts, searchChange } from './search-words.ts';
import { writeTombstones } from './tombstones.ts';
import { changesUnseen, moveUnseen } from './unseen-moves.ts';
import { promoteWaitlist } from './waitlist.ts';

/** `before`: the locked row, with the public place. `occurrence`: what changes about its series. */
export type EventUpdate = {
  before: PlacedEvent;
  fields: StoredFields;
  occurrence?: Partial<Occurrence>;
};

/**
 * Updates an event, promotes its waitlist if the capacity changed, adjusts its organizer's `eventsCount`, and notifies
 * the guests of what concerns them.
 * @param message what the organizer writes to the guests about the change
 */
export const updateEvent = (
  tx: Transaction,
  update: EventUpdate,
  now: Date,
  message: ChangeMessage | null = null,
): Promise<void> => updateEvents(tx, [update], now, message);

/** Updates events as `writeUpdates` does, and records the changes. */
export const updateEvents = async (
  tx: Transaction,
  updates: EventUpdate[],
  now: Date,
  message: ChangeMessage | null = null,
): Promise<void> => recordEventChanges(tx, [await writeUpdates(tx, updates, now, message)]);

/**
 * Updates events of one organizer as `updateEvent` does, without recording the changes. The transaction must hold the locks of all of them. A person who is a guest
 * of several is notified once, of the first one.
 * @param updates in the order of their starts
 */
export async function writeUpdates(
  tx: Transaction,
  updates: EventUpdate[],
  now: Date,
  message: ChangeMessage | null = null,
): Promise<EventChanges> {
  const changes = updates.map((change) => ({
    ...change,
    after: { ...change.fields, hidden: change.before.hidden },
    isUnseen: changesUnseen(change.before, change.fields),
  }));
  const [unseen = [], seen = []] = [true, false].map((isUnseen) =>
    changes.filter((change) => (change.isUnseen && staysInSeries(change)) === isUnseen),
  );
  for (const { before, fields } of unseen) await moveUnseen(tx, { before, fields });
  const written = await writeSeen(tx, seen, now);
  const notices = changes.flatMap(({ before, after, isUnseen }) => {
    const kind = noticeOf(before, after, now);
    return kind ? [{ kind, eventId: before.id, before, after, message, isOnlyForGoing: isUnseen }] : [];
  });
  await storeNotices(tx, notices, now);
  const news = seen.filter(({ before, after }) => isNews({ ...after, isAnnounced: before.isAnnounced }, now));
  if (news[0]) await tx.execute(insertFanOuts('newEvent', [news[0].before.id]));
  return written;
}

/** Whether nothing differs of what an event is of its series. */
const staysInSeries = ({ before, occurrence = {} }: EventUpdate): boolean =>
  Object.entries(occurrence).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(before[name as keyof Occurrence]),
  );

type SeenUpdate = EventUpdate & { after: StoredFields & Pick<PlacedEvent, 'hidden'> };

/** Writes the changes that everybody may notice. */
async function writeSeen(tx: Transaction, changes: SeenUpdate[], now: Date): Promise<EventChanges> {
  const [first] = changes;
  if (!first) return noChanges;
  for (const { before, fields, after, occurrence } of changes) {
    const changed = assignments({
      ...columns(fields),
      ...occurrenceColumns(occurrence),
      ...changedSearch(before, fields),
      ...(fields.exactPlace !== undefined && { exact_place: exactPlaceOf(fields.exactPlace) }),
      // Calendars of people who saw the exact place have a higher number.
      sequence:
        before.sequence +
        (fields.exactPlace === null ? (before.exactPlace?.moves ?? 0) : 0) +
        Number(changesCalendar(before, fields)),
      is_announced: before.isAnnounced || isListed(after),
      updated_at: updateTime(now),
    });
    await tx.query(sql`${update('events', changed)} where id = ${before.id}`);
  }
  await writeTombstones(
    tx,
    changes.map(({ before, after }) => ({ id: before.id, before, after })),
  );
  for (const { before, fields } of changes) {
    if (fields.capacity !== before.capacity) await tx.execute(promoteWaitlist(before.id));
    if (fields.rsvpApproval === 'organizer' && before.rsvpApproval === 'none')
      await tx.execute(approvePresent(before.id));
  }
  await addToEventsCount(
    tx,
    first.before.organizerId,
    changes.reduce((sum, { before, after }) => sum + eventsCountOf(after) - eventsCountOf(before), 0),
  );
  return {
    records: [changedEvents(changes.map(({ before }) => before.id))],
    listingKeys: listingKeysOf(changes.flatMap(({ before, after }) => [before, after])),
  };
}

/** The text forms of two vectors, one after the other, are the text form of a vector with the words of both. */
function changedSearch(before: SearchedTexts, after: SearchedTexts): { search?: Statement } {
  const change = searchChange(before, after);
  if (!change) return {};
  const { kept, added } = change;
  return { search: sql`(ts_filter(search, ${kept}::"char"[])::text || ' ' || ${added})::tsvector` };
}
