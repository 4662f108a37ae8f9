import { defineEndpoint } from '../../http/define-endpoint.ts';
import { findCalendar } from './repo.ts';
import { CalendarState } from './schemas.ts';
import type { CalendarServices } from './services.ts';

export const getMyCalendar = defineEndpoint({
  method: 'GET',
  path: '/v1/me/calendar',
  summary: 'Read whether your calendar has a URL',
  description:
    'Returns the time at which the URL was created, not the URL itself: the server stores only its hash.',
  access: 'required',
  response: { 200: CalendarState },

  async handler({ caller }, { db }: CalendarServices) {
    const createdAt = await findCalendar(db, caller.id);
    return { status: 200, body: { exists: createdAt !== null, createdAt } };
  },
});
