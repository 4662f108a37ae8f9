import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import { deleteCalendar } from './repo.ts';
import type { CalendarServices } from './services.ts';

export const deleteMyCalendar = defineEndpoint({
  method: 'DELETE',
  path: '/v1/me/calendar',
  summary: 'Delete the URL of your calendar',
  description:
    'After the response, every server responds to requests for the URL with 404. Deleting a URL that does ' +
    'not exist succeeds.',
  access: 'required',
  response: { 200: Success },

  async handler({ caller }, { db }: CalendarServices) {
    await actAs(db, caller, (tx) => deleteCalendar(tx, caller.id));
    return { status: 200, body: { success: true as const } };
  },
});
