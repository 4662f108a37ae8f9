/** One VEVENT read: what it says of an event of ours, before anybody knows whether it is new. */
import { createHash } from 'node:crypto';
import ICAL from 'ical.js';
import { fold } from '../../lib/text.ts';
import { categories } from '../../modules/events/catalogue.ts';
import { NewEvent } from '../../modules/events/schemas.ts';
import type { Block, Calendar, Fault } from './calendar.ts';
import type { Place } from './gazetteer.ts';
import { isAllDay, type Moment, namedZone, parseMoment, readTimes, type Times, type When } from './times.ts';

export type Entry = {
  line: number;
  /** What the entry is known by the next time. */
  key: string;
  /** Of two with one key in a file, the higher counts. */
  sequence: number;
  title: string;
  description: string;
  allDay: boolean;
  /** The start and end of the event if its zone is this one. @throws Error that says what is wrong */
  timesIn: (timezone: string) => Times;
  /** Empty when there is no LOCATION. */
  address: string;
  geo: Place | null;
  /** Null, here and below: the file does not say. */
  timezone: string | null;
  category: string | null;
  status: 'scheduled' | 'cancelled' | null;
  visibility: 'public' | 'private' | null;
  /** What was left out or cut, for the one who imports. */
  notes: string[];
};

const { title: titleRule, description: descriptionRule, location } = NewEvent.properties;
const limits = {
  title: maxLength(titleRule),
  description: maxLength(descriptionRule),
  address: maxLength(location.properties.address),
};

function maxLength(rule: object): number {
  return (rule as { maxLength?: number }).maxLength ?? Number.POSITIVE_INFINITY;
}

/** Everything else that an entry may hold is passed over. */
const used = new Set(
  (
    'UID SEQUENCE RECURRENCE-ID RRULE RDATE SUMMARY DESCRIPTION URL LOCATION GEO ' +
    'DTSTART DTEND DURATION CATEGORIES STATUS CLASS'
  ).split(' '),
);

/** A line that we use, as it is written and as ical.js reads it. */
type Property = { line: number; raw: string; value: ICAL.Property | null };
type Properties = Map<string, Property[]>;

/** @returns the fault, with the line that it is on, when the entry is broken */
export function readEntry(block: Block, calendar: Calendar): Entry | Fault {
  let title = '';
  let at = block.line;
  const blame = (property: Property | undefined) => {
    at = property?.line ?? block.line;
    return property;
  };
  try {
    const properties = readProperties(block, (line) => {
      at = line;
    });
    const first = (name: string) => blame(properties.get(name)?.[0]);
    const text = (name: string) => `${first(name)?.value?.getFirstValue() ?? ''}`;

    const notes: string[] = [];
    title = oneLine(text('SUMMARY'));
    if (!/[^\s\p{C}]/u.test(title)) throw new Error('has no SUMMARY');
    const when = readWhen(first);
    const timesIn = (timezone: string) => readTimes(when, timezone, calendar);
    // The place may still be unknown here. In any zone this names the faults, and gives the key below.
    const { startAt } = timesIn(calendar.zone ?? 'UTC');
    const geo = readGeo(first('GEO'));
    blame(undefined);

    const address = oneLine(text('LOCATION'));
    if (properties.has('RRULE') || properties.has('RDATE'))
      notes.push('repeats; only its first date came in');
    return {
      line: block.line,
      key: keyOf(text('UID').trim(), properties.get('RECURRENCE-ID')?.[0], [
        title,
        startAt.toISOString(),
        address,
      ]),
      sequence: Number(text('SEQUENCE')) || 0,
      title: cut('SUMMARY', title, limits.title, notes),
      description: describe(text('DESCRIPTION').trim(), text('URL').trim(), notes),
      address: cut('LOCATION', address, limits.address, notes),
      allDay: isAllDay(when),
      timesIn,
      timezone: namedZone(when, calendar),
      geo,
      category: findCategory(properties.get('CATEGORIES') ?? []),
      status: statuses[text('STATUS').toUpperCase()] ?? null,
      visibility: visibilities[text('CLASS').toUpperCase()] ?? null,
      notes,
    };
  } catch (error) {
    // Ours and those of ical.js: both say in words what is wrong.
    return { line: at, ...(title && { title }), reason: (error as Error).message };
  }
}

/** @throws Error for a line that is no property, or holds what cannot be stored */
function readProperties(block: Block, reach: (line: number) => void): Properties {
  const properties: Properties = new Map();
  for (const { number, text } of block.lines) {
    reach(number);
    if (text === null) throw new Error('is not UTF-8');
    if (text.includes('\0')) throw new Error('holds NUL or half a surrogate pair');
    const name = /^([A-Za-z0-9-]+)[;:]/.exec(text)?.[1]?.toUpperCase();
    if (!name) throw new Error(`"${shorten(text, 40)}" is not a property`);
    if (!used.has(name)) continue;
    // Moments are read from the line itself: a bare day without VALUE=DATE is all right.
    const isMoment = name.startsWith('DT') || name.startsWith('R');
    const value = isMoment ? null : new ICAL.Property(ICAL.parse.property(text));
    const list = properties.get(name) ?? [];
    properties.set(name, [...list, { line: number, raw: text, value }]);
  }
  reach(block.line);
  return properties;
}

function readWhen(first: (name: string) => Property | undefined): When {
  const start = readMoment(first('DTSTART'));
  if (!start) throw new Error('has no DTSTART');
  const end = readMoment(first('DTEND'));
  const duration = end ? undefined : first('DURATION')?.value?.getFirstValue();
  return { start, end, duration: duration instanceof ICAL.Duration ? duration : null };
}

function readMoment(property: Property | undefined): Moment | null {
  if (!property) return null;
  const moment = parseMoment(property.raw);
  if (!moment) throw new Error(`"${shorten(property.raw, 60)}" is no date or time`);
  return moment;
}

function readGeo(property: Property | undefined): Place | null {
  if (!property) return null;
  const [, lat, lng] = /:\s*([+-]?\d+(?:\.\d+)?)\s*;\s*([+-]?\d+(?:\.\d+)?)\s*$/.exec(property.raw) ?? [];
  const place = { lat: Number(lat), lng: Number(lng) };
  if (Math.abs(place.lat) <= 90 && Math.abs(place.lng) <= 180) return place;
  throw new Error(`"${shorten(property.raw, 60)}" is no latitude and longitude`);
}

const statuses: Record<string, 'scheduled' | 'cancelled'> = {
  CANCELLED: 'cancelled',
  CONFIRMED: 'scheduled',
  TENTATIVE: 'scheduled',
};
const visibilities: Record<string, 'public' | 'private'> = {
  PUBLIC: 'public',
  PRIVATE: 'private',
  CONFIDENTIAL: 'private',
};

/**
 * One date of a series has the UID of the whole and says which it is. Without a UID the entry is known by what it says,
 * so that the same file adds nothing twice.
 */
function keyOf(uid: string, recurrence: Property | undefined, content: string[]): string {
  const key = uid ? uid + (recurrence ? `\n${recurrence.raw}` : '') : `\n${content.join('\n')}`;
  // An index entry of PostgreSQL holds no more than 2,704 bytes.
  return key.length <= 500 && uid ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function findCategory(properties: Property[]): string | null {
  const names = properties
    .flatMap(({ value }) => value?.getValues() ?? [])
    .map((name) => fold(`${name}`).trim());
  const known = categories.find(({ slug, name }) => names.includes(slug) || names.includes(fold(name)));
  return known?.slug ?? null;
}

/** The address of the entry goes under its description, whole however long that is. */
function describe(text: string, url: string, notes: string[]): string {
  const tail = url && !text.includes(url) ? url : '';
  if (tail.length > limits.description / 2) return cut('DESCRIPTION', text, limits.description, notes);
  const room = limits.description - (tail && text ? tail.length + 1 : tail.length);
  return [cut('DESCRIPTION', text, room, notes), tail].filter(Boolean).join('\n');
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

const shorten = (text: string, max: number): string => {
  const characters = [...text];
  return characters.length <= max
    ? text
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
};

function cut(name: string, text: string, max: number, notes: string[]): string {
  const short = shorten(text, max);
  if (short !== text) notes.push(`its ${name} was cut to ${max} characters`);
  return short;
}
