import { dayMs } from '#base';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Problem } from '../../lib/errors.ts';
import { showPlaces } from '../events/show-places.ts';
import { findVisibleEvent } from '../events/visible-event.ts';
import { calendarResponse } from './calendar-response.ts';
import { maxDescriptionLength, maxEntries, renderEvents } from './entries.ts';
import { findOwner, listOwnEvents } from './repo.ts';
import { Calendar, CalendarParams } from './schemas.ts';
import { parseSecret } from './secrets.ts';
import type { CalendarServices } from './services.ts';

/** Events stay in the calendar for this long after their end. */
const pastDays = 90;

export const getCalendar = defineEndpoint({
  method: 'GET',
  path: '/v1/calendars/:secret.ics',
  summary: "Read a person's calendar by its secret URL",
  description:
    'Has the events that the person organizes, responded to, saved or booked and may see, if they ended at most ' +
    `${pastDays} days ago: the first ${maxEntries} events by start, with descriptions of at most ` +
    `${maxDescriptionLength} characters. Cancelled events have \`STATUS:CANCELLED\`.`,
  caller: 'none',
  limits: { turns: 'document' },
  params: CalendarParams,
  response: { 200: Calendar },
  etag: 'version',
  problems: ['calendar_not_found'],

  async handler({ params }, services: CalendarServices) {
    const { db, clock } = services;
    const secret = parseSecret(params.secret);
    const owner = secret && (await findOwner(db, secret));
    if (!owner) throw new Problem('calendar_not_found');
    const endedAfter = new Date(clock().getTime() - pastDays * dayMs);
    const ids = await listOwnEvents(db, owner, { endedAfter, limit: maxEntries });
    // An event may have changed since the list was read.
    const found = await Promise.all(ids.map((id) => findVisibleEvent(services, id, owner)));
    const visible = found.filter((event) => event !== null);
    const shown = await showPlaces(db, visible, owner);
    const calendar = await renderEvents(services, shown, { name: 'Potluck' });
    return calendarResponse({ calendar, fileName: 'potluck.ics', disposition: 'inline', isSecret: true });
  },
});
