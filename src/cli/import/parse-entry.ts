/** Parses a VEVENT into the fields of an event. */
import { createHash } from 'node:crypto';
import ICAL from 'ical.js';
import type { Coordinates } from '../../lib/sphere.ts';
import { fold, shorten, withoutBidiControls } from '../../lib/text.ts';
import { categories } from '../../modules/events/catalogue.ts';
import { eventFields } from '../../modules/events/event-fields.ts';
import {
  type EntryPeriod,
  type EntryTime,
  type EventTimes,
  isAllDay,
  namedZone,
  parseEntryTime,
  toEventTimes,
} from './entry-times.ts';
import type { Calendar, EntryIssue, EventBlock } from './parse-calendar.ts';

export type CalendarEntry = {
  line: number;
  /** Identifies the entry in later imports. */
  key: string;
  /** If entries of a file have the same key, the highest sequence is imported. */
  sequence: number;
  title: string;
  description: string;
  allDay: boolean;
  /** The times of the event in a time zone. @throws Error with the reason */
  timesIn: (timezone: string) => EventTimes;
  /** Empty without LOCATION. */
  address: string;
  geo: Coordinates | null;
  /** Null, here and below, if the entry does not set it. */
  timezone: string | null;
  category: string | null;
  status: 'scheduled' | 'cancelled' | null;
  visibility: 'public' | 'private' | null;
  /** Parts of the entry that were omitted or shortened. */
  warnings: string[];
};

const limits = {
  title: maxLength(eventFields.title.input),
  description: maxLength(eventFields.description.input),
  address: maxLength(eventFields.address.input),
};

function maxLength(schema: object): number {
  return (schema as { maxLength?: number }).maxLength ?? Number.POSITIVE_INFINITY;
}

/** The properties that are read. All others are ignored. */
const usedProperties = new Set(
  (
    'UID SEQUENCE RECURRENCE-ID RRULE RDATE SUMMARY DESCRIPTION URL LOCATION GEO ' +
    'DTSTART DTEND DURATION CATEGORIES STATUS CLASS'
  ).split(' '),
);

/** A used property: its line as text, and as parsed by ical.js. */
type Property = { line: number; raw: string; value: ICAL.Property | null };
type Properties = Map<string, Property[]>;

/** @returns an EntryIssue with the line of the error if the entry is invalid */
export function parseEntry(block: EventBlock, calendar: Calendar): CalendarEntry | EntryIssue {
  let title = '';
  let errorLine = block.line;
  const locate = (property: Property | undefined) => {
    errorLine = property?.line ?? block.line;
    return property;
  };
  try {
    const properties = readProperties(block, (line) => {
      errorLine = line;
    });
    const first = (name: string) => locate(properties.get(name)?.[0]);
    const text = (name: string) => `${first(name)?.value?.getFirstValue() ?? ''}`;

    const warnings: string[] = [];
    title = oneLine(text('SUMMARY'));
    if (!/[^\s\p{C}]/u.test(title)) throw new Error('has no SUMMARY');
    const period = readPeriod(first);
    const timesIn = (timezone: string) => toEventTimes(period, timezone, calendar);
    // The zone of the place is unknown here. Any zone reveals errors, and makes the key below stable.
    const { startAt } = timesIn(calendar.zone ?? 'UTC');
    const geo = readGeo(first('GEO'));
    locate(undefined);

    const address = oneLine(text('LOCATION'));
    if (properties.has('RRULE') || properties.has('RDATE'))
      warnings.push('repeats; only its first date was imported');
    return {
      line: block.line,
      key: keyOf(text('UID').trim(), properties.get('RECURRENCE-ID')?.[0], [
        title,
        startAt.toISOString(),
        address,
      ]),
      sequence: Number(text('SEQUENCE')) || 0,
      title: limit('SUMMARY', title, limits.title, warnings),
      description: describe(text('DESCRIPTION').trim(), text('URL').trim(), warnings),
      address: limit('LOCATION', address, limits.address, warnings),
      allDay: isAllDay(period),
      timesIn,
      timezone: namedZone(period, calendar),
      geo,
      category: findCategory(properties.get('CATEGORIES') ?? []),
      status: statuses[text('STATUS').toUpperCase()] ?? null,
      visibility: visibilities[text('CLASS').toUpperCase()] ?? null,
      warnings,
    };
  } catch (error) {
    // The messages of ical.js are readable too.
    return { line: errorLine, ...(title && { title }), reason: (error as Error).message };
  }
}

/**
 * @param setLine receives the line number before each line is read
 * @throws Error for a line that is not a property, or has characters that PostgreSQL cannot store
 */
function readProperties(block: EventBlock, setLine: (line: number) => void): Properties {
  const properties: Properties = new Map();
  for (const { number, text } of block.lines) {
    setLine(number);
    if (text === null) throw new Error('is not UTF-8');
    if (text.includes('\0')) throw new Error('contains NUL or a lone surrogate');
    const name = /^([A-Za-z0-9-]+)[;:]/.exec(text)?.[1]?.toUpperCase();
    if (!name) throw new Error(`"${shorten(text, 40)}" is not a property`);
    if (!usedProperties.has(name)) continue;
    // Times are parsed from the line itself, because a date without VALUE=DATE is accepted.
    const isTime = name.startsWith('DT') || name.startsWith('R');
    const value = isTime ? null : new ICAL.Property(ICAL.parse.property(text));
    properties.getOrInsert(name, []).push({ line: number, raw: text, value });
  }
  setLine(block.line);
  return properties;
}

function readPeriod(first: (name: string) => Property | undefined): EntryPeriod {
  const start = readEntryTime(first('DTSTART'));
  if (!start) throw new Error('has no DTSTART');
  const end = readEntryTime(first('DTEND'));
  const duration = end ? undefined : first('DURATION')?.value?.getFirstValue();
  return { start, end, duration: duration instanceof ICAL.Duration ? duration : null };
}

function readEntryTime(property: Property | undefined): EntryTime | null {
  if (!property) return null;
  const time = parseEntryTime(property.raw);
  if (!time) throw new Error(`"${shorten(property.raw, 60)}" is not a date or time`);
  return time;
}

function readGeo(property: Property | undefined): Coordinates | null {
  if (!property) return null;
  const [, lat, lng] = /:\s*([+-]?\d+(?:\.\d+)?)\s*;\s*([+-]?\d+(?:\.\d+)?)\s*$/.exec(property.raw) ?? [];
  const geo = { lat: Number(lat), lng: Number(lng) };
  if (Math.abs(geo.lat) <= 90 && Math.abs(geo.lng) <= 180) return geo;
  throw new Error(`"${shorten(property.raw, 60)}" is not a latitude and longitude`);
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
 * Returns the UID, with the RECURRENCE-ID for a single date of a series. Without a UID, the key is a hash of
 * the content, so a repeated import finds the event.
 */
function keyOf(uid: string, recurrence: Property | undefined, content: string[]): string {
  const key = uid ? uid + (recurrence ? `\n${recurrence.raw}` : '') : `\n${content.join('\n')}`;
  // PostgreSQL limits an index entry to 2,704 bytes.
  return key.length <= 500 && uid ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function findCategory(properties: Property[]): string | null {
  const names = properties
    .flatMap(({ value }) => value?.getValues() ?? [])
    .map((name) => fold(`${name}`).trim());
  const known = categories.find(({ slug, name }) => names.includes(slug) || names.includes(fold(name)));
  return known?.slug ?? null;
}

/** Appends the URL to the description. If both are too long, shortens the description and not the URL. */
function describe(text: string, url: string, warnings: string[]): string {
  const tail = url && !text.includes(url) ? url : '';
  if (tail.length > limits.description / 2) return limit('DESCRIPTION', text, limits.description, warnings);
  const available = limits.description - (tail && text ? tail.length + 1 : tail.length);
  return [limit('DESCRIPTION', text, available, warnings), tail].filter(Boolean).join('\n');
}

const oneLine = (text: string): string =>
  withoutBidiControls(text)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();

function limit(name: string, text: string, max: number, warnings: string[]): string {
  const short = shorten(text, max);
  if (short !== text) warnings.push(`its ${name} was shortened to ${max} characters`);
  return short;
}
