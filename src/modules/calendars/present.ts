/** Events as iCalendar (RFC 5545). `ical-generator` writes it; what it does not do, or not rightly, is done here. */

import {
  escape as escapeText,
  foldLines,
  ICalCalendar,
  ICalEvent,
  ICalEventClass,
  ICalEventStatus,
} from 'ical-generator';
import { fold } from '../../lib/text.ts';
import { dateIn, isUtc } from '../../lib/time-zones.ts';
import { findCategory } from '../events/catalogue.ts';
import type { EventRow } from '../events/present.ts';
import { endSecond, inZone, isSaidByLocalTime, startSecond, zoneLines } from './zones.ts';

/** `organizer`: their name; null when they are just gone. */
export type Entry = { event: EventRow; organizer: string | null };

/** How often programs should look again, in seconds. */
const refreshSeconds = 3_600;

/** Writes one entry; so that it can be done once for many calendars (`openWriter`). */
export type Writer = (entry: Entry) => Written;
export type Written = {
  /** The lines of a VEVENT, folded. */
  text: string;
  /** That it is written in the time of; null is UTC. */
  timezone: string | null;
  moments: Temporal.ZonedDateTime[];
};

/**
 * The same events give the same bytes.
 * @param name what programs call the calendar, which they are then to look at every hour; none for a single event
 */
export function toCalendar(entries: Written[], name?: string): string {
  const zones = new Map<string, Temporal.ZonedDateTime[]>();
  for (const { timezone, moments } of entries) {
    if (!timezone) continue;
    const known = zones.get(timezone) ?? [];
    known.push(...moments);
    zones.set(timezone, known);
  }
  const described = [...zones].map(([zone, moments]) => zoneLines(zone, moments)).join('');
  return `${headLines(name)}${described}${entries.map(({ text }) => text).join('')}END:VCALENDAR\r\n`;
}

function headLines(name: string | undefined): string {
  const calendar = new ICalCalendar({
    prodId: '//Potluck//Potluck//EN',
    scale: 'GREGORIAN',
    ...(name && { name: escapeText(name, false), ttl: refreshSeconds }),
  });
  return calendar.toString().replace(/END:VCALENDAR$/, '');
}

/** @param mostText characters of a description; what is longer is cut */
export function openWriter(publicUrl: string, maxText = Number.POSITIVE_INFINITY): Writer {
  const calendar = new ICalCalendar();
  return ({ event, organizer }) => {
    const { moments, timezone, ...times } = event.allDay ? datesOf(event) : timesOf(event);
    const description = shorten(clean(event.description), maxText);
    const data = { ...dataOf(event, publicUrl), ...times, timezone, description };
    const text = new ICalEvent(data, calendar).toString();
    const extra = extraLines(event, organizer, publicUrl);
    return {
      text: foldLines(text.replace(/END:VEVENT\r\n$/, () => `${extra}END:VEVENT\r\n`)),
      timezone,
      moments,
    };
  };
}

/** Entries kept; about 1 KB each, at most ten times as much. */
const maxKept = 2_000;

/** The same, of which what was written lately is not written again. */
export function cachingWriter(write: Writer): Writer {
  const kept = new Map<string, Entry & { written: Written }>();
  return ({ event, organizer }) => {
    const known = kept.get(event.id);
    if (known?.event === event && known.organizer === organizer) return known.written;
    const written = write({ event, organizer });
    kept.delete(event.id);
    kept.set(event.id, { event, organizer, written });
    if (kept.size > maxKept) kept.delete(kept.keys().next().value ?? '');
    return written;
  };
}

const dataOf = (event: EventRow, publicUrl: string) => ({
  id: `${event.id}@${new URL(publicUrl).hostname}`,
  sequence: event.sequence,
  // Without a METHOD this means the same as LAST-MODIFIED.
  stamp: event.updatedAt,
  created: event.createdAt,
  lastModified: event.updatedAt,
  summary: clean(event.title),
  location: clean(event.address),
  categories: [{ name: findCategory(event.category).name }],
  url: `${publicUrl}/v1/events/${event.id}`,
  status: event.status === 'cancelled' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
  class: event.visibility === 'private' ? ICalEventClass.PRIVATE : null,
});

/** The library leaves GEO out on the equator and on the prime meridian, and knows no ORGANIZER without a mailbox. */
function extraLines(event: EventRow, organizer: string | null, publicUrl: string): string {
  const geo = `GEO:${degrees(event.lat)};${degrees(event.lng)}\r\n`;
  if (organizer === null) return geo;
  // RFC 5545 takes any URI, and Potluck shows nobody's mail or phone.
  const name = escapeText(clean(organizer), true);
  return `${geo}ORGANIZER;CN="${name}":${publicUrl}/v1/users/${event.organizerId}\r\n`;
}

/** In the event's own zone where local times say both moments, else in UTC (`timezone` null). */
function timesOf({ startAt, endAt, timezone }: EventRow) {
  const [from, until] = [startSecond(startAt), endSecond(endAt)];
  const local = [from, until].map((at) => inZone(at, timezone));
  const isLocal = !isUtc(timezone) && local.every(isSaidByLocalTime);
  const zone = isLocal ? (local[0]?.timeZoneId ?? null) : null;
  const [start, end] = [from, until].map((at) => inZone(at, zone ?? 'UTC'));
  if (!start || !end) throw new Error('two moments went in, and two come out');
  // Only within the last second that there is.
  const moments = until > from ? [start, end] : [start];
  return { start, end: moments[1] ?? null, allDay: false, timezone: zone, moments };
}

/** An all-day event is written as dates, which need no zone. As in the API, the end is the day after the last. */
function datesOf({ startAt, endAt, timezone }: EventRow) {
  const [start, end] = [dateIn(startAt, timezone), dateIn(endAt, timezone)];
  // RFC 5545 writes years with four digits.
  return { start, end: end.year > 9999 ? null : end, allDay: true, timezone: null, moments: [] };
}

/** RFC 5545 has no exponents. */
const degrees = (value: number): string =>
  value
    .toFixed(6)
    .replace(/\.?0+$/, '')
    .replace(/^-0$/, '0');

/** Whatever somebody may take for the end of a line is one; other control characters have no place in a calendar. */
const clean = (text: string): string =>
  text.replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, '');

function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = [...text];
  return characters.length <= most
    ? text
    : `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
}

/** For Content-Disposition: letters and digits alone. */
export function fileName(title: string): string {
  const plain = fold(title)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return `${plain || 'event'}.ics`;
}
