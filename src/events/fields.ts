/** From what a client sends to what an event is made of. */
import { invalid, Problem } from '../errors.ts';
import { parseTimestamp } from '../time.ts';
import { modules } from './catalogue.ts';
import type { EventFields } from './queries.ts';
import type { EventChange, NewEvent } from './schemas.ts';
import type { EventRow } from './views.ts';

/** A new event; @throws Problem `invalid_request` when it does not end after it starts */
export function withDefaults(body: NewEvent): EventFields {
  const { location, startAt, endAt, ...rest } = body;
  return {
    description: '',
    coverUrl: null,
    timezone: 'UTC',
    price: 0,
    currency: 'EUR',
    capacity: 0,
    visibility: 'public',
    template: 'general',
    enabledModules: [...modules],
    status: 'scheduled',
    ...rest,
    ...location,
    ...readTimes(startAt, endAt),
  };
}

/** An event with what is given in place of what was; @throws as above, whichever of the two times moved */
export function changed(before: EventFields, change: EventChange): EventFields {
  const { location, startAt, endAt, ...rest } = change;
  return {
    ...before,
    ...rest,
    ...location,
    ...readTimes(startAt ?? before.startAt, endAt ?? before.endAt),
  };
}

const shownByCalendars = [
  'title',
  'description',
  'startAt',
  'endAt',
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
