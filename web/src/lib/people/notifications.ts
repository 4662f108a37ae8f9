/** The kinds of notifications in the visitor's language. */
import type { Notification, NotificationSettings } from '@potluck/client';
import { m } from '#lib/messages/index.js';

export type Kind = keyof NotificationSettings;

/** In the order of the settings. */
export const kindLabels: Record<Kind, () => string> = {
  eventChanged: m.people_kind_event_changed,
  eventCancelled: m.people_kind_event_cancelled,
  reminder: m.people_kind_reminder,
  bookingConfirmed: m.people_kind_booking_confirmed,
  message: m.people_kind_message,
  follower: m.people_kind_follower,
  rsvps: m.people_kind_rsvps,
  claims: m.people_kind_claims,
  bookings: m.people_kind_bookings,
};

export const kinds = Object.keys(kindLabels) as Kind[];
export const levels = ['off', 'inbox', 'push'] as const;

/** A sentence without the details, such as `3 new RSVPs: Harbour potluck`. */
export function describeNotification({ kind, count, person, event }: Notification): string {
  const name = person?.name ?? m.people_someone();
  const title = event?.title ?? '';
  switch (kind) {
    case 'eventChanged':
      return m.people_news_event_changed({ title });
    case 'eventCancelled':
      return m.people_news_event_cancelled({ title });
    case 'reminder':
      return m.people_news_reminder({ title });
    case 'bookingConfirmed':
      return m.people_news_booking_confirmed({ title });
    case 'message':
      return m.people_news_message({ name, count });
    case 'follower':
      return m.people_news_follower({ name });
    case 'rsvps':
      return m.people_news_rsvps({ title, count });
    case 'claims':
      return m.people_news_claims({ title, count });
    case 'bookings':
      return m.people_news_bookings({ title, count });
    default:
      // A newer server may have more kinds.
      return m.people_news_other({ title: title || name });
  }
}

/** The page that a notification is about. */
export function hrefOf({ kind, person, event }: Notification): string | null {
  if (event) return `/e/${event.id}`;
  if (!person) return null;
  return kind === 'message' ? `/messages/${person.id}#newest` : `/u/${person.id}`;
}
