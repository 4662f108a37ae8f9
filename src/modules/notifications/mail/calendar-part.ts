/** The calendar part of a mail about an event: it brings the event into the reader's calendar, changes it there, or takes it out. */
import { ICalCalendarMethod } from 'ical-generator';
import { sql } from '#pg';
import type { MailContent } from '../../../mail/layout.ts';
import type { QueuedMail } from '../../../mail/mails.ts';
import { createEntryRenderer, renderCalendar } from '../../calendars/present.ts';
import { listExactPlacesFor, withExactPlace } from '../../events/exact-place.ts';
import { findEvent } from '../../events/repo.ts';
import { listPeople } from '../../people/repo.ts';
import type { PeopleServices } from '../../people/services.ts';

/** Null if the server sends no mails, or its links lead to no page: the entry has the address of the event. */
export async function calendarPart(
  { db, config: { mail, publicUrl } }: Pick<PeopleServices, 'db' | 'config'>,
  { userId, subjectId: eventId, address, createdAt }: QueuedMail,
): Promise<NonNullable<MailContent['calendar']> | null> {
  if (mail.driver !== 'smtp' || !mail.hasLinks) return null;
  const [row, places, attending] = await Promise.all([
    findEvent(db, eventId),
    listExactPlacesFor(db, { id: userId, role: 'user' }, [eventId]),
    db.query(sql`
      select 1 from rsvps where event_id = ${eventId} and user_id = ${userId} and status = 'going'
      union all select 1 from bookings where event_id = ${eventId} and user_id = ${userId} and status = 'booked'`),
  ]);
  if (!row) return null;
  const event = withExactPlace(row, places.get(eventId) ?? null);
  const [organizer] = await listPeople(db, [event.organizerId]);
  const method = event.status === 'cancelled' ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.REQUEST;
  const renderEntry = createEntryRenderer(publicUrl, undefined, {
    method,
    organizer: mail.from.address,
    attendee: address,
    isGoing: attending.length > 0,
    // Equal in each copy of the mail.
    stamp: createdAt,
  });
  const { bytes } = renderCalendar(
    [renderEntry({ event, organizerName: organizer?.name ?? null })],
    undefined,
    method,
  );
  return { method, text: bytes.toString() };
}
