import type { EventFields } from '../events/event-fields.ts';
import { EnteredEvent } from '../events/schemas.ts';

/** The fields of an event as requests have them. */
export function toEntered(fields: EventFields, status: EventFields['status'] = fields.status): EnteredEvent {
  const { address, lat, lng, isExact, startAt, endAt, rsvpUntil, ...others } = fields;
  const entered = {
    ...Object.fromEntries(Object.entries(others).filter(([name]) => name in EnteredEvent.properties)),
    startAt: startAt.toISOString(),
    endAt: endAt.toISOString(),
    rsvpUntil: rsvpUntil?.toISOString() ?? null,
    location: { address, lat, lng, isExact },
    status,
  };
  return entered as EnteredEvent;
}
