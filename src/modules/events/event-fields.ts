/** From what a client sends to what an event is made of. */
import { invalid, invalidFields, Problem } from '../../lib/errors.ts';
import { parseTimestamp } from '../../lib/time.ts';
import { dateIn, isStartOfDay, startOfDate, timeZoneAt, zoneAfterMove } from '../../lib/time-zones.ts';
import { modules } from './catalogue.ts';
import type { EventRow } from './present.ts';
import type { EventFields } from './repo.ts';
import type { EventChange, NewEvent } from './schemas.ts';

/**
 * A new event.
 * @throws Problem `invalid_request` if it does not end after it starts, if an all-day event does not consist of whole
 * days, or if a price above 0 is said to be unknown
 */
export function withDefaults(body: NewEvent): EventFields {
  const { location, startAt, endAt, ...rest } = body;
  return checked({
    description: '',
    coverUrl: null,
    allDay: false,
    timezone: rest.timezone ?? timeZoneAt(location),
    price: 0,
    isPriceKnown: rest.price !== undefined,
    currency: 'EUR',
    capacity: 0,
    visibility: 'public',
    template: 'general',
    enabledModules: [...modules],
    status: 'scheduled',
    ...rest,
    ...location,
    ...readTimes(startAt, endAt),
  });
}

/** An event with what is given in place of what was; @throws as above, whichever of the two times moved */
export function changed(before: EventFields, change: EventChange): EventFields {
  const { location, startAt, endAt, ...rest } = change;
  const timezone = rest.timezone ?? (location ? zoneAfterMove(before, location) : before.timezone);
  const keepsDates = before.allDay && rest.allDay !== false && timezone !== before.timezone;
  /** As text, so that the range of years is checked again. */
  const moved = (at: Date): Date | string =>
    keepsDates ? startOfDate(dateIn(at, before.timezone), timezone).toISOString() : at;
  const after = {
    ...before,
    isPriceKnown: before.isPriceKnown || rest.price !== undefined,
    ...rest,
    timezone,
    ...location,
    ...readTimes(startAt ?? moved(before.startAt), endAt ?? moved(before.endAt)),
  };
  return checked(after, before);
}

/**
 * Checks what involves several fields and is not said by the schema.
 * @param before of a change: times that the change does not touch are not checked, because rules of time zones change
 * after events are stored
 */
function checked(fields: EventFields, before?: EventFields): EventFields {
  const { allDay, timezone, price, isPriceKnown } = fields;
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
  if (price > 0 && !isPriceKnown) throw invalid('isPriceKnown', 'must be true when price is above 0');
  return fields;
}

const shownByCalendars = [
  'title',
  'description',
  'startAt',
  'endAt',
  'allDay',
  'timezone',
  'address',
  'lat',
  'lng',
  'category',
  'status',
] as const satisfies (keyof EventFields)[];

const isPrivate = ({ visibility }: EventFields): boolean => visibility === 'private';

/** Whether a calendar shows it otherwise after the change. Of `visibility` it shows `CLASS:PRIVATE` or nothing. */
export const isShownOtherwise = (before: EventFields, after: EventFields): boolean =>
  isPrivate(before) !== isPrivate(after) ||
  shownByCalendars.some((name) => before[name].valueOf() !== after[name].valueOf());

/** What is booked stays booked. @throws Problem `capacity_below_booked`; `before` must be the locked row */
export function requireCapacity({ bookedCount }: EventRow, { capacity }: EventFields): void {
  if (capacity === 0 || capacity >= bookedCount) return;
  throw new Problem('capacity_below_booked', {
    detail: `${bookedCount} seats are booked.`,
    errors: [{ path: 'capacity', message: `is below ${bookedCount}` }],
  });
}

/** Past the schema, so both parse; only their order is left to check. */
function readTimes(startAt: string | Date, endAt: string | Date): { startAt: Date; endAt: Date } {
  const [start, end] = [startAt, endAt].map((at) => (at instanceof Date ? at : parseTimestamp(at)));
  if (!start) throw invalid('startAt', 'is not a timestamp');
  if (!end || end <= start) throw invalid('endAt', 'must be after startAt');
  return { startAt: start, endAt: end };
}
