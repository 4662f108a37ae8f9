/**
 * Renders events as iCalendar (RFC 5545) with `ical-generator`. This file adds the properties that the
 * library lacks and replaces those that it renders incorrectly.
 */

import {
  escape as escapeText,
  foldLines,
  ICalCalendar,
  type ICalCalendarMethod,
  ICalEvent,
  ICalEventClass,
  ICalEventStatus,
} from 'ical-generator';
import { LRUCache } from 'lru-cache';
import { contentHash } from '../../http/conditional.ts';
import { fold, shorten } from '../../lib/text.ts';
import { dateIn, isUtc } from '../../lib/time-zones.ts';
import { findCategory } from '../events/catalogue.ts';
import { type EventFields, namesOf } from '../events/event-fields.ts';
import type { EventRow } from '../events/present.ts';
import { clean, type Invitation, organizerLines } from './people-lines.ts';
import { endSecond, inZone, isUnambiguous, startSecond, zoneLines } from './zones.ts';

/** What an entry shows. */
export type CalendarEvent = EventFields &
  Pick<EventRow, 'id' | 'organizerId' | 'createdAt' | 'updatedAt' | 'sequence'>;

/** What the entries of a series have in common, and lines of one of them. `subject`: the id of which the UID is. */
export type InSeries = {
  subject: string;
  path: string;
  sequence: number;
  /** RRULE and EXDATE. */
  repeating?: string;
  recurrenceId?: string;
};

/** An event of a calendar. `organizerName` is null if the organizer's account was deleted meanwhile. */
export type CalendarEntry = { event: CalendarEvent; organizerName: string | null; inSeries?: InSeries };

/** The interval, in seconds, at which calendar programs should poll. */
const refreshSeconds = 3_600;

export type EntryRenderer = (entry: CalendarEntry) => RenderedEntry;
export type RenderedEntry = {
  /** The folded lines of a VEVENT, and their hash. */
  bytes: Buffer;
  hash: string;
  /** The time zone of the entry's local times; null for UTC and for dates. */
  timezone: string | null;
  /** The times for which the calendar must describe the zone. */
  times: Temporal.ZonedDateTime[];
};

/** The title of a calendar that programs poll every hour, and a sentence about its content. */
export type CalendarTitle = { name: string; description?: string | undefined };

/** A calendar as text in UTF-8, and a hash of it. */
export type RenderedCalendar = { bytes: Buffer; hash: string };

/**
 * Composes a calendar of rendered entries. The same entries give the same text. A calendar may have a megabyte, so its
 * bytes and hash are composed of those of the entries.
 * @param title undefined for the file of a single event
 * @param method of a calendar in a mail
 */
export function renderCalendar(
  entries: RenderedEntry[],
  title?: CalendarTitle,
  method?: ICalCalendarMethod,
): RenderedCalendar {
  const zones = [...Map.groupBy(entries, ({ timezone }) => timezone)].map(([zone, entriesOfZone]) =>
    zone === null
      ? ''
      : zoneLines(
          zone,
          entriesOfZone.flatMap(({ times }) => times),
        ),
  );
  const start = headerLines(title, method) + zones.join('');
  return {
    bytes: Buffer.concat([Buffer.from(start), ...entries.map(({ bytes }) => bytes), lastLine]),
    hash: contentHash([start, ...entries.map(({ hash }) => hash)].join('\n')),
  };
}

const lastLine = Buffer.from('END:VCALENDAR\r\n');

function headerLines(title: CalendarTitle | undefined, method: ICalCalendarMethod | undefined): string {
  const calendar = new ICalCalendar({
    prodId: '//Potluck//Potluck//EN',
    scale: 'GREGORIAN',
    ...(method && { method }),
    ...(title && { name: escapeText(title.name, false), ttl: refreshSeconds }),
    ...(title?.description && { description: escapeText(title.description, false) }),
  });
  return calendar.toString().replace(/END:VCALENDAR$/, '');
}

/** @param maxDescriptionLength in characters; longer descriptions are truncated */
export function createEntryRenderer(
  publicUrl: string,
  maxDescriptionLength = Number.POSITIVE_INFINITY,
  invitation?: Invitation,
): EntryRenderer {
  const calendar = new ICalCalendar();
  return ({ event, organizerName, inSeries }) => {
    const { times, timezone, ...period } = event.allDay ? datesOf(event) : timesOf(event);
    const description = shorten(clean(descriptionOf(event)), maxDescriptionLength);
    const data = {
      ...dataOf(event, publicUrl, inSeries),
      ...period,
      ...{ timezone, description },
      ...(invitation && { stamp: invitation.stamp }),
    };
    const text = new ICalEvent(data, calendar).toString();
    const occurrence = inSeries?.recurrenceId ?? '';
    const extra = occurrence + geoLine(event) + organizerLines(event, organizerName, publicUrl, invitation);
    const lines = foldLines(text.replace(/END:VEVENT\r\n$/, () => `${extra}END:VEVENT\r\n`));
    return {
      bytes: Buffer.from(lines),
      hash: contentHash(lines),
      timezone,
      times,
    };
  };
}

/** An entry takes about 1 KB of memory, and at most 10 KB. */
const maxCachedEntries = 2_000;

/** Adds a cache to `render`. A cached entry is valid for the same event row and organizer name. */
export function cacheEntries(render: EntryRenderer): EntryRenderer {
  const cache = new LRUCache<string, CalendarEntry & { rendered: RenderedEntry }>({ max: maxCachedEntries });
  return ({ event, organizerName }) => {
    const cached = cache.get(event.id);
    if (cached?.event === event && cached.organizerName === organizerName) return cached.rendered;
    const rendered = render({ event, organizerName });
    cache.set(event.id, { event, organizerName, rendered });
    return rendered;
  };
}

const dataOf = (
  event: CalendarEvent,
  publicUrl: string,
  { subject, path, sequence, repeating }: InSeries = {
    ...{ subject: event.id, path: `/e/${event.id}`, sequence: event.sequence },
  },
) => ({
  id: `${subject}@${new URL(publicUrl).hostname}`,
  sequence,
  ...(repeating !== undefined && { repeating }),
  // DTSTAMP equals LAST-MODIFIED in a calendar without METHOD (RFC 5545, 3.8.7.2).
  stamp: event.updatedAt,
  created: event.createdAt,
  lastModified: event.updatedAt,
  summary: clean(event.title),
  location: clean(whereOf(event)),
  categories: [{ name: findCategory(event.category).name }],
  url: publicUrl + path,
  status: event.status === 'cancelled' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
  class: event.visibility === 'private' ? ICalEventClass.PRIVATE : null,
});

/** Events that are online have no place but their address, if the organizer has entered one. */
const whereOf = ({ locationKind, onlineUrl, address }: CalendarEvent): string =>
  (locationKind === 'online' && onlineUrl) || address;

const describingFields = namesOf(({ calendar }) => calendar === 'DESCRIPTION');
const descriptionOf = (event: CalendarEvent): string =>
  describingFields
    .map((name) => event[name])
    .filter((text) => text !== '')
    .join('\n\n');

/**
 * The library omits GEO on the equator and the prime meridian. Without GEO, calendars search maps for LOCATION, which leads
 * nearer to the address than the coordinates of its town.
 */
const geoLine = ({ isExact, lat, lng }: CalendarEvent): string =>
  isExact ? `GEO:${degrees(lat)};${degrees(lng)}\r\n` : '';

/** Times in the event's zone if both local times are unambiguous, otherwise in UTC (`timezone` is null). */
function timesOf({ startAt, endAt, timezone }: CalendarEvent) {
  const [from, until] = [startSecond(startAt), endSecond(endAt)];
  const local = [inZone(from, timezone), inZone(until, timezone)] as const;
  const isLocal = !isUtc(timezone) && local.every(isUnambiguous);
  const [start, end] = isLocal ? local : [inZone(from, 'UTC'), inZone(until, 'UTC')];
  // Start and end are equal only within the last second of the year 9999.
  const times = until > from ? [start, end] : [start];
  return { start, end: times[1] ?? null, allDay: false, timezone: isLocal ? start.timeZoneId : null, times };
}

/** Dates of an all-day event, which need no zone. The end is exclusive, as in the API. */
function datesOf({ startAt, endAt, timezone }: CalendarEvent) {
  const [start, end] = [dateIn(startAt, timezone), dateIn(endAt, timezone)];
  // Years have four digits in RFC 5545.
  return { start, end: end.year > 9999 ? null : end, allDay: true, timezone: null, times: [] };
}

/** Decimal notation with up to six digits: RFC 5545 does not allow exponents. */
const degrees = (value: number): string => String(Number(value.toFixed(6)));

/** A file name for Content-Disposition, with only ASCII letters, digits and hyphens. */
export function fileName(title: string): string {
  const plain = fold(title)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return `${plain || 'event'}.ics`;
}
