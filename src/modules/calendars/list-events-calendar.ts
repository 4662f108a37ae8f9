import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readEventQuery } from '../discovery/event-query.ts';
import type { CachedEvent } from '../events/event-cache.ts';
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
    `${maxEntries} events by start, with descriptions of at most ${maxDescriptionLength} characters. If more events follow, ` +
    'the header `Link` (`rel="next"`) has the URL of the calendar from the first of them on: this URL with `startFrom`. The ' +
    'description of the calendar has it too. `startFrom` and `startTo` select a window of your own.',
  caller: 'optional',
  limits: { turns: 'document' },
  query: CalendarQuery,
  response: { 200: Calendar },
  etag: 'version',
  compressed: 'text',

  async handler({ caller, query, request }, services: CalendarServices) {
    const { clock, config, lists } = services;
    // One event more than the calendar has tells where the next calendar starts.
    const slice = { page: 1, limit: maxEntries + 1 };
    const { listed } = await lists.events({
      query: readEventQuery(query, clock()),
      order: 'start',
      slice,
      viewer: caller,
      address: request.ip,
    });
    const [shown, following] = [listed.slice(0, maxEntries), listed[maxEntries]];
    const next = following && urlFrom(following, shown, query, config.publicUrl);
    const title = { name: 'Potluck events', description: following && describe(next) };
    const calendar = await renderEvents(services, shown, title);
    return calendarResponse({ calendar, fileName: 'events.ics', disposition: 'inline', next });
  },
});

/**
 * The URL of the calendar from an event on. It repeats the events of `shown` that start at the same time: a calendar program
 * recognizes them by their UID. Undefined if all events of `shown` start then, because the URL would have the same events.
 */
function urlFrom(
  { row: { startAt } }: CachedEvent,
  shown: CachedEvent[],
  query: CalendarQuery,
  publicUrl: string,
): string | undefined {
  if (shown[0]?.row.startAt.getTime() === startAt.getTime()) return undefined;
  const values = Object.entries({ ...query, startFrom: startAt.toISOString() });
  return `${publicUrl}/v1/events.ics?${new URLSearchParams(values.map(([name, value]) => [name, `${value}`]))}`;
}

const describe = (next: string | undefined): string =>
  `Only the first ${maxEntries} events. ${next ? `More events: ${next}` : 'More events start at the same time.'}`;
