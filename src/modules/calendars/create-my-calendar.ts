import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { setCalendar } from './repo.ts';
import { CalendarAddress } from './schemas.ts';
import { newSecret } from './secrets.ts';
import type { CalendarServices } from './services.ts';

export const createMyCalendar = defineEndpoint({
  method: 'POST',
  path: '/v1/me/calendar',
  summary: 'Create a secret URL for your calendar',
  description:
    'A calendar program that has the URL shows the events that you organize, responded to, saved or booked. ' +
    'A new URL replaces the previous one, which stops working.',
  access: 'required',
  idempotent: true,
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
