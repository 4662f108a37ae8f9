/** Notices: how an event changed, and what its organizer writes about it, once for all guests who are notified of it. */
import { newId } from '#base';
import { sql, type Transaction } from '#pg';
import { insertAnnouncement } from './announcements.ts';
import { countRecipients, guestAudiences } from './audiences.ts';
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

export type Notice = { before: NoticedEvent; after: NoticedEvent };

/** What a person writes to the guests about a change. */
export type ChangeMessage = { authorId: string; text: string };

/** The latest notices of an event that are stored. A notification about more changes begins with the oldest of them. */
export const maxNotices = 20;

/**
 * Stores a notice and the fan-out to the guests. The transaction must hold a lock on the event, so the notices of an event are
 * stored one after another. A message is an announcement with the id of the notice: guests read it beside the others.
 */
export async function storeNotice(
  tx: Transaction,
  kind: StoredFanOutKind,
  eventId: string,
  { before, after, message }: Notice & { message: ChangeMessage | null },
  now: Date,
): Promise<void> {
  const id = newId();
  const [from, to] = [before, after].map((event) => JSON.stringify(noticedOf(event)));
  await tx.execute(sql`
    insert into event_notices (event_id, id, kind, before, after, created_at)
    values (${eventId}, ${id}, ${kind}, ${from}::jsonb, ${to}::jsonb, ${now})`);
  await tx.execute(sql`
    delete from event_notices where event_id = ${eventId} and id <= (
      select id from event_notices where event_id = ${eventId} order by id desc offset ${maxNotices} limit 1)`);
  if (message) await storeMessage(tx, { ...message, id, subjectId: eventId }, now);
  await tx.execute(insertFanOuts(kind, [eventId], id));
}

async function storeMessage(
  tx: Transaction,
  message: ChangeMessage & { id: string; subjectId: string },
  now: Date,
): Promise<void> {
  const { subjectId: eventId, authorId } = message;
  const recipients = await countRecipients(tx, { eventId, authorId, audience: guestAudiences });
  const sent = { status: 'sent', isOfChange: true, sendAt: now } as const;
  await tx.execute(insertAnnouncement({ ...message, ...sent, audience: guestAudiences, recipients }, now));
}

const noticedOf = (event: NoticedEvent): object =>
  Object.fromEntries(noticedFields.map((name) => [name, event[name]]));
