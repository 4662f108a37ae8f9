import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { actAs } from '../../identity/act-as.ts';
import { deleteCalendar, findCalendar, setCalendar } from './repo.ts';
import { CalendarAddress, CalendarState } from './schemas.ts';
import { newSecret } from './secrets.ts';
import type { CalendarServices } from './services.ts';

const common = {
  path: '/v1/me/calendar',
  caller: 'fresh',
} as const;

export const createMyCalendar = defineEndpoint({
  ...common,
  method: 'POST',
  summary: 'Create a secret URL for your calendar',
  description:
    'A calendar program that has the URL shows the events that you organize, responded to, saved or booked. ' +
    'A new URL replaces the previous one, which stops working.',
  retry: 'idempotent',
  response: { 201: CalendarAddress },

  async handler({ caller, idempotency }, services: CalendarServices) {
    const { config, clock } = services;
    return runIdempotent(services, caller, idempotency, async (tx) => {
      const secret = newSecret(caller.id);
      await setCalendar(tx, caller.id, secret.hash, clock());
      return { status: 201 as const, body: { url: `${config.publicUrl}/v1/calendars/${secret.text}.ics` } };
    });
  },
});

export const getMyCalendar = defineEndpoint({
  ...common,
  method: 'GET',
  summary: 'Read whether your calendar has a URL',
  description:
    'Returns the time at which the URL was created, not the URL itself: the server stores only its hash.',
  response: { 200: CalendarState },

  async handler({ caller }, { db }: CalendarServices) {
    const createdAt = await findCalendar(db, caller.id);
    return { status: 200, body: { exists: createdAt !== null, createdAt } };
  },
});

export const deleteMyCalendar = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Delete the URL of your calendar',
  description:
    'After the response, every server responds to requests for the URL with 404. Deleting a URL that does ' +
    'not exist succeeds.',
  response: { 200: Success },

  async handler({ caller }, { db }: CalendarServices) {
    await actAs(db, caller, (tx) => deleteCalendar(tx, caller.id));
    return { status: 200, body: { success: true as const } };
  },
});
