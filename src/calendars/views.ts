/** Events as iCalendar (RFC 5545). `ical-generator` writes it; what it does not do, or not rightly, is done here. */
import {
  escape as escapeText,
  ICalCalendar,
  ICalEvent,
  ICalEventClass,
  ICalEventStatus,
} from 'ical-generator';
import { findCategory } from '../events/catalogue.ts';
import type { EventRow } from '../events/views.ts';
import { fold } from '../text.ts';
import { endSecond, inZone, isSaidByLocalTime, isUtc, startSecond, zoneLines } from './zones.ts';

/** `organizer`: their name; null when they are just gone. */
export type Entry = { event: EventRow; organizer: string | null };

type Head = {
  publicUrl: string;
  /** What programs call the calendar; left out for a single event. */
  name?: string;
  /** Characters of a description; what is longer is cut. Default: all. */
  mostText?: number;
};

/** How often programs should look again, in seconds. */
const refreshSeconds = 3_600;

/** The same events give the same bytes. */
export function toCalendar(entries: Entry[], { publicUrl, name, mostText }: Head): string {
  /** The moments that are written in the time of each zone. */
  const moments = new Map<string, Temporal.ZonedDateTime[]>();
  const calendar = new ICalCalendar({
    prodId: '//Potluck//Potluck//EN',
    scale: 'GREGORIAN',
    timezone: { name: null, generator: (zone) => zoneLines(zone, moments.get(zone) ?? []) },
    ...(name && { name: escapeText(name, false), ttl: refreshSeconds }),
  });
  for (const { event, organizer } of entries) {
    const { start, end, timezone } = timesOf(event);
    if (timezone) moments.set(timezone, [...(moments.get(timezone) ?? []), start, ...(end ? [end] : [])]);
    const data = {
      ...dataOf(event, publicUrl),
      start,
      end,
      timezone,
      description: shorten(clean(event.description), mostText),
    };
    calendar.createEvent(new WrittenEvent(data, calendar, extraLines(event, organizer, publicUrl)));
  }
  return `${calendar.toString()}\r\n`;
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
function extraLines(event: EventRow, organizer: string | null, publicUrl: string): string[] {
  const geo = `GEO:${degrees(event.lat)};${degrees(event.lng)}`;
  if (organizer === null) return [geo];
  // RFC 5545 takes any URI, and Potluck shows nobody's mail or phone.
  const name = escapeText(clean(organizer), true);
  return [geo, `ORGANIZER;CN="${name}":${publicUrl}/v1/users/${event.organizerId}`];
}

type EventData = ConstructorParameters<typeof ICalEvent>[0];

class WrittenEvent extends ICalEvent {
  readonly #lines: string[];

  constructor(data: EventData, calendar: ICalCalendar, lines: string[]) {
    super(data, calendar);
    this.#lines = lines;
  }

  override toString(): string {
    const end = 'END:VEVENT\r\n';
    const all = super.toString();
    return `${all.slice(0, -end.length)}${this.#lines.map((line) => `${line}\r\n`).join('')}${end}`;
  }
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
  return { start, end: until > from ? end : null, timezone: zone };
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

function shorten(text: string, most = Number.POSITIVE_INFINITY): string {
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
