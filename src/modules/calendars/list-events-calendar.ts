import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readEventQuery } from '../discovery/event-query.ts';
import { calendarResponse } from './calendar-response.ts';
import { maxDescriptionLength, maxEntries, renderEvents } from './entries.ts';
import { Calendar, CalendarQuery } from './schemas.ts';
import type { CalendarServices } from './services.ts';

export const listEventsCalendar = defineEndpoint({
  method: 'GET',
  path: '/v1/events.ics',
  summary: 'List public events as a calendar',
  description:
    'A URL to subscribe to. Has the events of GET /v1/events with the same filters and without pages: the first ' +
    `${maxEntries} events by start, with descriptions of at most ${maxDescriptionLength} characters.`,
  access: 'optional',
  turns: 'document',
  query: CalendarQuery,
  response: { 200: Calendar },
  conditional: true,
  compressed: 'text',

  async handler({ caller, query, request }, services: CalendarServices) {
    const { clock, lists } = services;
    const slice = { page: 1, limit: maxEntries };
    const { listed } = await lists.events({
      query: readEventQuery(query, clock()),
      order: 'start',
      slice,
      viewer: caller,
      address: request.ip,
    });
    const calendar = await renderEvents(services, listed, 'Potluck events');
    return calendarResponse({ calendar, fileName: 'events.ics', disposition: 'inline' });
  },
});
