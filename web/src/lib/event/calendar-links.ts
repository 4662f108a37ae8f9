/** Addresses that add an event to a calendar. They are links: nothing is loaded from the calendar before it is chosen. */
import type { Event } from '@potluck/client';
import { whereOf } from '#lib/discovery/where.ts';
import { dateFormatter } from '#lib/language/formatters.ts';

type Scheduled = Pick<
  Event,
  'id' | 'title' | 'startAt' | 'endAt' | 'allDay' | 'timezone' | 'location' | 'locationKind'
>;

/** The date at the venue, as `20261224`. */
const dateOf = (time: string, timeZone: string): string =>
  dateFormatter('en-CA', { timeZone, dateStyle: 'short' }).format(new Date(time)).replaceAll('-', '');
/** As `20261224T180000Z`. */
const timeOf = (time: string): string => new Date(time).toISOString().replace(/[-:]|\.\d+/g, '');

/**
 * The entries of Google and Outlook do not change with the event, so they lead to its page in place of a description.
 * @param origin of this server
 */
export function calendarLinks(event: Scheduled, origin: string) {
  const { id, title, startAt, endAt, allDay, timezone } = event;
  const url = `${origin}/e/${id}`;
  const file = `/v1/events/${id}/calendar.ics`;
  // The end of all-day events is exclusive in Google, too.
  const dates = [startAt, endAt].map((time) => (allDay ? dateOf(time, timezone) : timeOf(time)));
  const google = new URLSearchParams({
    action: 'TEMPLATE',
    text: title,
    dates: dates.join('/'),
    location: whereOf(event),
    details: url,
  });
  const outlook = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: title,
    startdt: startAt,
    enddt: endAt,
    ...(allDay && { allday: 'true' }),
    location: whereOf(event),
    body: url,
  });
  return {
    google: `https://calendar.google.com/calendar/render?${google}`,
    outlook: `https://outlook.live.com/calendar/0/deeplink/compose?${outlook}`,
    apple: `${origin.replace(/^https?:/, 'webcal:')}${file}`,
    file,
  };
}
