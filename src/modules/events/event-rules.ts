/** Converts request bodies to the fields of events, and checks rules that involve several fields. */
import { parseTimestamp, timestampBounds } from '#base';
import { versionOf } from '../../http/conditional.ts';
import { decimalsOf, hasDecimals } from '../../lib/currencies.ts';
import { invalid, invalidFields, Problem } from '../../lib/errors.ts';
import {
  dateIn,
  isStartOfDay,
  sameClockLater,
  spellZone,
  startOfDate,
  timeZoneAt,
  zoneAfterMove,
} from '../../lib/time-zones.ts';
import { type EventFields, eventFields, fieldNames, namesOf, valuesOf } from './event-fields.ts';
import { daysOf, maxDays } from './event-length.ts';
import type { ExactPlace, StoredFields } from './exact-place.ts';
import type { EventRow } from './present.ts';
import { asEntered, type ShownPlace } from './public-place.ts';
import type { EventChange, EventCopy, NewEvent } from './schemas.ts';

const [defaults, valuesOfCopy] = [valuesOf('default'), valuesOf('inCopy')];

/**
 * The fields of a new event, with defaults for those that the request leaves out.
 * @throws Problem `invalid_request` if the event does not end after it starts, if it lasts more than 366 days, if an
 * all-day event does not consist of whole days, if `isPriceKnown` is false and the price is above 0, or if the price has more
 * decimals than the currency
 */
export function withDefaults(body: NewEvent, shownPlace: ShownPlace = asEntered): EventFields {
  const { location, startAt, endAt, ...rest } = body;
  const { addressVisibility = 'everyone' } = rest;
  const shown = shownPlace({ ...location, addressVisibility });
  const fields = {
    ...defaults,
    isPriceKnown: rest.price !== undefined,
    ...rest,
    timezone: rest.timezone === undefined ? timeZoneAt(shown) : spellZone(rest.timezone),
    ...location,
    ...precisionOf({ ...defaults, ...rest }, location),
    ...readTimes(startAt, endAt),
    ...readDeadline(rest),
    // The request has each field that has no default and is not computed here.
  } as EventFields;
  checkPrice(fields);
  checkDeadline(fields, 'rsvpUntil');
  return checked(fields);
}

/**
 * The fields of an existing event after a change.
 * @param before with the exact place
 * @param shownPlace where everybody sees the event before and after: time zones tell no more
 * @throws Problem `invalid_request` as `withDefaults` does
 */
export function applyChange(
  before: EventFields,
  change: EventChange,
  shownPlace: ShownPlace = asEntered,
): EventFields {
  const { location, startAt, endAt, ...rest } = change;
  const locationKind = rest.locationKind ?? before.locationKind;
  if (before.locationKind === 'place' && locationKind !== 'place' && !location)
    throw invalid('location', 'is required when locationKind becomes later or online', 'required');
  const { addressVisibility = before.addressVisibility } = rest;
  const isMoved = location !== undefined || addressVisibility !== before.addressVisibility;
  const timezone = spellZone(
    rest.timezone ??
      (isMoved
        ? zoneAfterMove(shownPlace(before), shownPlace({ ...(location ?? before), addressVisibility }))
        : before.timezone),
  );
  const keepsDates = before.allDay && rest.allDay !== false && timezone !== before.timezone;
  /** A moved time is text, so that `readTimes` checks its range of years. */
  const moved = (at: Date): Date | string =>
    keepsDates ? startOfDate(dateIn(at, before.timezone), timezone).toISOString() : at;
  const after = {
    ...before,
    isPriceKnown: before.isPriceKnown || rest.price !== undefined,
    ...rest,
    timezone,
    ...location,
    ...precisionOf({ locationKind }, location ?? before),
    ...readTimes(startAt ?? moved(before.startAt), endAt ?? moved(before.endAt)),
    rsvpUntil: before.rsvpUntil,
    ...readDeadline(rest),
  };
  checkPrice(after, before);
  checkDeadline(after, endAt !== undefined && rest.rsvpUntil === undefined ? 'endAt' : 'rsvpUntil');
  return checked(after, before);
}

/**
 * The fields of a copy of an event on other dates: a scheduled draft, also if the event is public or cancelled.
 * @throws Problem `invalid_request` as `withDefaults` does
 */
export const fieldsOfCopy = (event: EventFields, { startAt, endAt }: EventCopy): EventFields =>
  checked({
    ...event,
    ...valuesOfCopy,
    ...readTimes(startAt, endAt ?? endOfCopy(event, startAt)),
  });

/**
 * The end of a copy that lasts as long as the event by the clock of its zone: the same number of days, or from 18:00 to 22:00
 * again. A clock change within the event or within the copy makes it an hour longer or shorter than the other one. The end is
 * text, so that `readTimes` checks its range of years.
 */
function endOfCopy({ allDay, timezone, startAt, endAt }: EventFields, start: string): string {
  const copyStartAt = new Date(start);
  if (!allDay) return sameClockLater(startAt, endAt, copyStartAt, timezone).toISOString();
  const length = dateIn(startAt, timezone).until(dateIn(endAt, timezone));
  return startOfDate(dateIn(copyStartAt, timezone).add(length), timezone).toISOString();
}

/** The version of an event, for `If-Match`: no counter changes it. */
export const versionOfEvent = (row: EventFields): string => versionOf(fieldNames.map((name) => row[name]));

/**
 * Checks the rules that the schema cannot express, because they involve several fields.
 * @param before the event before a change: times that the change does not touch are not checked, because the rules of
 * time zones may have changed since the event was stored. For the same reason, and because an all-day event of 366 days
 * can have an hour more, an event can last more than 366 days already: it can change as long as it does not become longer
 */
function checked(fields: EventFields, before?: EventFields): EventFields {
  const { allDay, timezone } = fields;
  const longest = Math.max(maxDays, before ? daysOf({ ...before, allDay }) : 0);
  const hasSameDays = before?.allDay === allDay && before.timezone === timezone;
  const isTouched = (name: 'startAt' | 'endAt') =>
    !hasSameDays || fields[name].getTime() !== before[name].getTime();
  const partial = allDay
    ? (['startAt', 'endAt'] as const).filter(
        (name) => isTouched(name) && !isStartOfDay(fields[name], timezone),
      )
    : [];
  const message = `must be midnight in ${timezone} (or the first instant of a day without midnight), because allDay is true`;
  if (partial.length > 0) throw invalidFields(partial.map((path) => ({ path, message })));
  if (daysOf(fields) > longest)
    throw invalid('endAt', `must be at most ${maxDays} days after startAt`, 'days_after_start', maxDays);
  return fields;
}

/** Coordinates without a word about them are those of the address. Without a place, they are those of the town. */
const precisionOf = (
  { locationKind }: Partial<Pick<EventFields, 'locationKind'>>,
  { isExact = true }: { isExact?: boolean | undefined },
) => ({ isExact: locationKind === 'place' && isExact });

/** The schema has checked the format of the timestamp. @returns nothing for a request that leaves the deadline as it is */
function readDeadline({ rsvpUntil }: { rsvpUntil?: string | null }): { rsvpUntil?: Date | null } {
  return rsvpUntil === undefined ? {} : { rsvpUntil: rsvpUntil === null ? null : parseTimestamp(rsvpUntil) };
}

/** @param path the field of the request that can mend it */
function checkDeadline({ rsvpUntil, endAt }: EventFields, path: 'rsvpUntil' | 'endAt'): void {
  if (rsvpUntil === null || rsvpUntil <= endAt) return;
  if (path === 'endAt') throw invalid('endAt', 'must not be before rsvpUntil', 'before_deadline');
  throw invalid('rsvpUntil', 'must not be after endAt', 'after_end');
}

/**
 * Requires a price that its currency can express.
 * @param before the event before a change: a price that the change does not touch stays, because earlier versions
 * accepted two decimals for every currency
 */
function checkPrice({ price, currency, isPriceKnown }: EventFields, before?: EventFields): void {
  if (price > 0 && !isPriceKnown) throw invalid('isPriceKnown', 'must be true when price is above 0');
  if (price === before?.price && currency === before.currency) return;
  const decimals = decimalsOf(currency);
  if (hasDecimals(price, decimals)) return;
  const most = decimals === 0 ? 'no decimals' : `at most ${decimals} decimals`;
  throw invalid('price', `must have ${most} in ${currency}`, 'decimals', decimals);
}

const calendarFields = namesOf((field) => field.calendar !== undefined && field !== eventFields.visibility);
const announcedFields = namesOf(({ isAnnounced }) => isAnnounced === true);

const isPrivate = ({ visibility }: EventFields): boolean => visibility === 'private';

const differs = (before: EventFields, after: EventFields, names: readonly (keyof EventFields)[]): boolean =>
  names.some((name) => before[name]?.valueOf() !== after[name]?.valueOf());

/** Whether a change affects calendars. They show a private event as `CLASS:PRIVATE` and no other visibility. */
export const changesCalendar = (before: EventFields, after: EventFields): boolean =>
  isPrivate(before) !== isPrivate(after) || differs(before, after, calendarFields);

/**
 * The kind of notification that a change requires for the guests: the event is cancelled, its time or place differs, or
 * a cancelled event takes place again. Null for other changes, and for events that are over or hidden. Of a private event, only
 * invited people are notified.
 */
export function noticeOf(
  before: EventFields & { exactPlace?: ExactPlace | null },
  after: EventFields & { exactPlace?: ExactPlace | null } & Pick<EventRow, 'hidden'>,
  now: Date,
): 'eventCancelled' | 'eventChanged' | null {
  if (after.hidden || after.endAt <= now) return null;
  if (after.status === 'cancelled') return before.status === 'cancelled' ? null : 'eventCancelled';
  const hasMoved = after.exactPlace != null && after.exactPlace.moves !== before.exactPlace?.moves;
  const isChanged = before.status === 'cancelled' || hasMoved || differs(before, after, announcedFields);
  return isChanged ? 'eventChanged' : null;
}

/** @throws Problem `invalid_request` if there is a message to the guests, and they are not notified of the change */
export function requireNotice(
  before: EventRow & { exactPlace?: ExactPlace | null },
  fields: StoredFields,
  message: string | null,
  now: Date,
): void {
  if (message === null || noticeOf(before, { ...fields, hidden: before.hidden }, now)) return;
  throw invalid('message', 'needs a change of which the guests are notified', 'needs_notice');
}

/** @throws Problem `invalid_request` for guests who are to be invited to an event that others see as well */
export function requirePrivate(fields: EventFields): void {
  if (!isPrivate(fields)) throw invalid('inviteGuests', 'needs an event that is private');
}

/**
 * Requires a capacity of at least the booked seats.
 * @param event the locked row, before the change
 * @throws Problem `capacity_below_booked`
 */
export function requireCapacity({ bookedCount }: EventRow, { capacity }: EventFields): void {
  if (capacity === 0 || capacity >= bookedCount) return;
  throw new Problem('capacity_below_booked', {
    detail: `${bookedCount} seats are booked.`,
    errors: [{ path: 'capacity', rule: 'minimum', limit: bookedCount, message: `is below ${bookedCount}` }],
  });
}

/** The schema has checked the format of timestamps. @throws Problem `invalid_request` unless `endAt` is after `startAt` */
function readTimes(startAt: string | Date, endAt: string | Date): { startAt: Date; endAt: Date } {
  const [start, end] = [startAt, endAt].map((at) => (at instanceof Date ? at : parseTimestamp(at)));
  if (!start) throw invalid('startAt', 'is not a timestamp', 'timestamp');
  if (!end) throw invalid('endAt', `must be ${timestampBounds}`, 'timestamp');
  if (end <= start) throw invalid('endAt', 'must be after startAt', 'after_start');
  return { startAt: start, endAt: end };
}
