import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readId } from '../../lib/ids.ts';
import { EventParams } from '../events/schemas.ts';
import { requireVisibleEvent } from '../events/visible-event.ts';
import { calendarResponse } from './calendar-response.ts';
import { toEntry } from './entries.ts';
import { createEntryRenderer, fileName, renderCalendar } from './present.ts';
import { Calendar } from './schemas.ts';
import type { CalendarServices } from './services.ts';

export const getEventCalendar = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/calendar.ics',
  summary: 'Read an event as an iCalendar file',
  description:
    "Times are in the event's own time zone. The UID never changes, and SEQUENCE increases with every change of the " +
    'fields that a calendar shows. A cancelled event has `STATUS:CANCELLED`.',
  caller: 'optional',
  session: { guests: 'ofEvent' },
  params: EventParams,
  response: { 200: Calendar },
  etag: 'version',
  compressed: 'text',
  problems: ['event_not_found'],

  async handler({ caller, params }, services: CalendarServices) {
    const { config, people } = services;
    const id = readId(params.id, 'event_not_found');
    const event = await requireVisibleEvent(services, id, caller);
    const renderEntry = createEntryRenderer(config.publicUrl);
    const calendar = renderCalendar([renderEntry(await toEntry(event, people))]);
    const name = fileName(event.row.title);
    return calendarResponse({ calendar, fileName: name, disposition: 'attachment' });
  },
});
