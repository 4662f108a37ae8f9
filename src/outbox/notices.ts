/** Notices: how an event changed, and what its organizer writes about it, once for all guests who are notified of it. */
import { newId } from '#base';
import { type Statement, sql } from '#pg';
import { insertFanOuts } from './causes.ts';
import type { FanOutKind } from './kinds.ts';

/** What notifications say of an event before and after a change. */
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
  status: 'scheduled' | 'cancelled';
};

/** `message`: the words of the organizer. */
export type Notice = { before: NoticedEvent; after: NoticedEvent; message: string | null };

/** The latest notices of an event that are stored. A notification about more changes begins with the oldest of them. */
export const maxNotices = 20;

/**
 * The statements that store a notice and the fan-out to the guests. The transaction must hold a lock on the event, so the notices
 * of an event are stored one after another.
 */
export function insertNotice(
  kind: FanOutKind,
  eventId: string,
  { before, after, message }: Notice,
  now: Date,
): Statement[] {
  const id = newId();
  const [from, to] = [before, after].map((event) => JSON.stringify(noticedOf(event)));
  return [
    sql`
    insert into event_notices (event_id, id, kind, before, after, message, created_at)
    values (${eventId}, ${id}, ${kind}, ${from}::jsonb, ${to}::jsonb, ${message}, ${now})`,
    sql`
    delete from event_notices where event_id = ${eventId} and id <= (
      select id from event_notices where event_id = ${eventId} order by id desc offset ${maxNotices} limit 1)`,
    insertFanOuts(kind, [eventId], id),
  ];
}

const noticedOf = (event: NoticedEvent): NoticedEvent => {
  const { title, startAt, endAt, allDay, timezone, address, lat, lng, isExact, status } = event;
  return { title, startAt, endAt, allDay, timezone, address, lat, lng, isExact, status };
};
