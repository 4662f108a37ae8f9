/** What an entry of a file says, as the fields of an event, and what of it is doubtful. */
import type { ErrorObject } from 'ajv';
import { createBodyValidator } from '../../http/validation.ts';
import { violationOf } from '../../http/validation-messages.ts';
import { Problem } from '../../lib/errors.ts';
import { isUtc, timeZoneAt } from '../../lib/time-zones.ts';
import { withDefaults } from '../events/event-rules.ts';
import { type EventChange, NewEvent } from '../events/schemas.ts';
import { isSameTime } from '../places/address/zone-fit.ts';
import type { ChosenEntry } from './choose-dates.ts';
import { EntryError } from './entry-error.ts';
import { priceFields } from './entry-price.ts';
import { hasUnknownZone, isAllDay } from './entry-times.ts';
import type { Calendar } from './parse-calendar.ts';
import { timesOf } from './parse-entry.ts';
import type { EntryPlace } from './place-entries.ts';
import { storableUrl } from './where-online.ts';

/** What the person who imports says of entries that say nothing of it. */
export type EntryDefaults = { category: string; visibility: NewEvent['visibility'] };

/** The fields that entries have. `status`: of a new event too. */
export type EntryContent = NewEvent & { status: 'scheduled' | 'cancelled' };
export const doubts = ['place', 'country', 'zone', 'duplicate', 'length', 'date'] as const;
export type Doubt = (typeof doubts)[number];

/** `defaulted`: the fields of which the entry says nothing. `unplaced`: why nothing says where the entry is; null if something does. */
export type ReadContent = {
  content: EntryContent;
  defaulted: (keyof EntryContent)[];
  doubts: Doubt[];
  notes: string[];
  unplaced: string | null;
};

/** @throws EntryError */
export function contentOf(
  entry: ChosenEntry,
  place: EntryPlace,
  calendar: Calendar,
  defaults: EntryDefaults,
): ReadContent {
  const timezone = entry.series ? zoneOfSeries(entry, place, calendar) : zoneOf(entry, place);
  const { startAt, endAt, allDay, mended } = timesOf(entry.period, timezone, calendar);
  const where = whereOf(entry, place);
  const content: EntryContent = {
    title: entry.title,
    description: entry.description,
    startAt: startAt.toISOString(),
    endAt: endAt.toISOString(),
    allDay,
    timezone,
    ...where,
    category: (entry.category ?? defaults.category) as NewEvent['category'],
    visibility: entry.visibility ?? defaults.visibility ?? 'public',
    status: entry.status ?? 'scheduled',
    ...priceFields(entry.price),
  };
  requireEvent(content);
  const isPlaceDoubtful = where.locationKind === 'later';
  return {
    content,
    defaulted: (['category', 'visibility', 'status'] as const).filter((name) => entry[name] === null),
    doubts: [
      ...(isPlaceDoubtful || place.namesOther ? (['place'] as const) : []),
      ...(place.isCountryGuessed && !isPlaceDoubtful ? (['country'] as const) : []),
      ...(hasDoubtfulZone(entry, place, calendar) ? (['zone'] as const) : []),
      ...(mended.length > 0 ? (['length'] as const) : []),
      ...(entry.isDateDoubtful ? (['date'] as const) : []),
    ],
    notes: [...entry.notes, ...mended, ...noteZone(entry, timezone)],
    unplaced: isPlaceDoubtful ? place.reason || 'has no place' : null,
  };
}

/** An entry without a place is at one that is announced later; one whose place is the address of a web page is online. */
function whereOf(
  { address, geo, online }: ChosenEntry,
  place: EntryPlace,
): Pick<NewEvent, 'location' | 'locationKind' | 'onlineUrl'> {
  const { lat, lng, by } = place;
  const url = geo ? null : storableUrl(address);
  if (url !== null || online?.isOnly)
    return {
      locationKind: 'online',
      onlineUrl: url ?? online?.url ?? null,
      location: { address: place.town || place.address, lat, lng, isExact: false },
    };
  const isKnown = by === 'geo' || by === 'name' || (by === 'default' && place.from !== 'organizer');
  const hasPlace = isKnown && (by !== 'default' || place.from === 'option' || address !== '');
  return {
    locationKind: hasPlace ? 'place' : 'later',
    onlineUrl: online?.url ?? null,
    location: {
      address: address || (by === 'geo' ? place.address : place.town),
      lat,
      lng,
      isExact: hasPlace && by === 'geo',
    },
  };
}

/** Times in a zone that nothing defines, or in one whose clocks differ from those of the place. */
function hasDoubtfulZone(
  { period, timezone }: ChosenEntry,
  { lat, lng, by, from }: EntryPlace,
  calendar: Calendar,
) {
  if (hasUnknownZone(period.start, calendar)) return true;
  const isPlaced = by === 'geo' || by === 'name' || from === 'option';
  return (
    timezone !== null && isPlaced && !isAllDay(period) && !isSameTime(timezone, timeZoneAt({ lat, lng }))
  );
}

/**
 * The zone that the entry names. Of several, or of none: that of its place, if its clocks show the same time. Dates are in the
 * zone of the place, also where the calendar names another one.
 */
function zoneOf({ timezone, zones: [first], period }: ChosenEntry, place: EntryPlace): string {
  const zone = timeZoneAt(place);
  if (isAllDay(period)) return zone;
  if (timezone !== null) return timezone;
  return first === undefined || isSameTime(zone, first) ? zone : first;
}

/**
 * The zone in whose local time a series repeats. A file that has its series in UTC, and names a zone, means that one; without a zone,
 * its dates stay in UTC.
 */
function zoneOfSeries(entry: ChosenEntry, place: EntryPlace, calendar: Calendar): string {
  const zone = zoneOf(entry, place);
  if (!isInUtc(entry)) return zone;
  return calendar.zone ?? (isSameTime(zone, 'UTC') ? zone : 'UTC');
}

const isInUtc = ({ series, period }: ChosenEntry): boolean => {
  const { start } = series?.origin.period ?? period;
  return !start.isDate && start.tzid !== undefined && isUtc(start.tzid);
};

/** What to report of the zone of a series. */
function noteZone(entry: ChosenEntry, timezone: string): string[] {
  if (!entry.series || !isInUtc(entry)) return [];
  if (isUtc(timezone)) return ['repeats in UTC, because the file names no time zone'];
  return [`repeats in UTC in the file; here, it repeats in ${timezone}`];
}

const isNewEvent = createBodyValidator().compile<NewEvent>(NewEvent);

/** Checks fields by the rules of `POST /v1/events`. @throws EntryError that names the field */
export function requireEvent(fields: EventChange): asserts fields is EntryContent {
  const { status: _, ...event } = fields;
  if (!isNewEvent(event))
    throw new EntryError('field', (isNewEvent.errors ?? []).map(formatError).join('; '));
  try {
    withDefaults(event);
  } catch (error) {
    throw error instanceof Problem ? new EntryError('field', error.message.replace(/\.$/, '')) : error;
  }
}

const formatError = (error: ErrorObject): string =>
  `${error.instancePath.slice(1).replaceAll('/', '.')} ${violationOf(error).message}`.trim();
