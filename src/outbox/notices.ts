/** Notices: how an event changed, and what its organizer writes about it, once for all guests who are notified of it. */
import { newId } from '#base';
import { sql, type Transaction } from '#pg';
import { insertAnnouncement } from './announcements.ts';
import { type Audience, countRecipients, eventSubject, guestAudiences } from './audiences.ts';
import { insertFanOuts } from './causes.ts';
import type { StoredFanOutKind } from './kinds.ts';

/** What notifications say of an event before and after a change: `noticedFields`. */
export type NoticedEvent = {
  title: string;
  startAt: Date;
  endAt: Date;
  allDay: boolean;
  timezone: string;
  address: string;
  lat: number;
  lng: number;
  isExact: boolean;
  locationKind: 'place' | 'later' | 'online';
  status: 'scheduled' | 'cancelled';
};

const isNoticed: Record<keyof NoticedEvent, true> = {
  ...{ title: true, startAt: true, endAt: true, allDay: true, timezone: true },
  ...{ address: true, lat: true, lng: true, isExact: true, locationKind: true, status: true },
};
/** In the order in which they are stored and exported. */
export const noticedFields = Object.keys(isNoticed) as (keyof NoticedEvent)[];

/** `isOnlyForGoing`: of a move that only people see who go. */
export type Notice = { before: NoticedEvent; after: NoticedEvent; isOnlyForGoing?: boolean };

/** What a person writes to the guests about a change. */
export type ChangeMessage = { authorId: string; text: string };

/** The latest notices of an event that are stored. A notification about more changes begins with the oldest of them. */
export const maxNotices = 20;

/** A notice to store, with the words of its author to the guests. */
type NewNotice = Notice & { kind: StoredFanOutKind; eventId: string; message: ChangeMessage | null };

/**
 * Stores the notices of one operation, and the fan-outs to the guests. The transaction must hold the locks of the events, so the
 * notices of an event are stored one after another. A message is an announcement with the id of the notice: guests read it beside
 * the others. A person who is a guest of several of the events is notified of the first one alone.
 * @param notices in the order in which the events begin
 */
export async function storeNotices(tx: Transaction, notices: NewNotice[], now: Date): Promise<void> {
  const stored = notices.map((notice) => ({ ...notice, id: newId() }));
  for (const notice of stored) await storeNotice(tx, notice, now);
  for (const { id, eventId, message, isOnlyForGoing } of stored) {
    const audience: Audience[] = isOnlyForGoing ? ['going'] : guestAudiences;
    if (message) await storeMessage(tx, { ...message, id, subjectId: eventId, audience }, now);
  }
  for (const [kind, group] of Map.groupBy(stored, ({ kind }) => kind)) {
    const among = group.length > 1 ? group.map(({ eventId }) => eventId) : null;
    for (const { id, eventId } of group)
      await tx.execute(insertFanOuts(kind, [eventId], { noticeId: id, among }));
  }
}

async function storeNotice(
  tx: Transaction,
  { id, kind, eventId, before, after, isOnlyForGoing = false }: NewNotice & { id: string },
  now: Date,
): Promise<void> {
  const [from, to] = [before, after].map((event) => JSON.stringify(noticedOf(event)));
  await tx.execute(sql`
    insert into event_notices (event_id, id, kind, before, after, created_at, only_going)
    values (${eventId}, ${id}, ${kind}, ${from}::jsonb, ${to}::jsonb, ${now}, ${isOnlyForGoing})`);
  await tx.execute(sql`
    delete from event_notices where event_id = ${eventId} and id <= (
      select id from event_notices where event_id = ${eventId} order by id desc offset ${maxNotices} limit 1)`);
}

async function storeMessage(
  tx: Transaction,
  message: ChangeMessage & { id: string; subjectId: string; audience: Audience[] },
  now: Date,
): Promise<void> {
  const { subjectId, authorId, audience } = message;
  const recipients = await countRecipients(tx, { subject: eventSubject(subjectId), authorId, audience });
  const sent = { status: 'sent', isOfSeries: false, isOfChange: true, sendAt: now } as const;
  await tx.execute(insertAnnouncement({ ...message, ...sent, recipients }, now));
}

const noticedOf = (event: NoticedEvent): object =>
  Object.fromEntries(noticedFields.map((name) => [name, event[name]]));
