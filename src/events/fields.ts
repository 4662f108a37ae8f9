/** From what a client sends to what an event is made of. */
import { invalid } from '../errors.ts';
import { parseTimestamp } from '../time.ts';
import type { EventFields } from './queries.ts';
import type { EventChange, NewEvent } from './schemas.ts';

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
    enabledModules: ['bringList', 'wishList'],
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
  'visibility',
  'status',
] as const satisfies (keyof EventFields)[];

/** Whether a calendar shows it otherwise after the change. */
export const isShownOtherwise = (before: EventFields, after: EventFields): boolean =>
  shownByCalendars.some((name) => before[name].valueOf() !== after[name].valueOf());

/** Past the schema, so both parse; only their order is left to check. */
function readTimes(startAt: string | Date, endAt: string | Date): { startAt: Date; endAt: Date } {
  const [start, end] = [startAt, endAt].map((at) => (at instanceof Date ? at : parseTimestamp(at)));
  if (!start) throw invalid('startAt', 'is not a timestamp');
  if (!end || end <= start) throw invalid('endAt', 'must be after startAt');
  return { startAt: start, endAt: end };
}
