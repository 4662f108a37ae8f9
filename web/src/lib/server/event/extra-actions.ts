/** Forms of the page of an event besides the RSVP and the list. */
import { bookSeats, cancelBooking, changeBooking, saveEvent } from '@potluck/client';
import type { Actions } from '@sveltejs/kit';
import { submit } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';

type EventAction = Actions<{ id: string }>[string];
type ActionEvent = Parameters<EventAction>[0];

/** Visitors who are signed out return to the event after the sign-in, and not to the address of the form. */
function requireVisitor({ locals, params: { id } }: ActionEvent): void {
  requireMe(locals, { pathname: `/e/${id}`, search: '' });
}

const readSeats = (form: FormData): number => Number(form.get('seats'));

export const extraActions = {
  save: async (event) => {
    requireVisitor(event);
    const { request, locals, params } = event;
    const saved = (await request.formData()).get('saved') === 'true';
    const values = { kind: 'save' as const };
    return submit(async () => {
      await saveEvent({ client: locals.api, path: params, body: { saved } });
      return { done: 'save' as const };
    }, values);
  },

  /** Books seats, or joins the waitlist if they are not free. */
  book: async (event) => {
    requireVisitor(event);
    const { request, locals, params } = event;
    const form = await request.formData();
    const seats = readSeats(form);
    const body = { seats, waitlist: form.get('waitlist') === 'true' };
    return submit(
      async () => {
        await bookSeats({ client: locals.api, path: params, body });
        return { done: 'booking' as const };
      },
      { kind: 'booking' as const, seats },
    );
  },

  changeSeats: async (event) => {
    requireVisitor(event);
    const { request, locals, params } = event;
    const seats = readSeats(await request.formData());
    return submit(
      async () => {
        await changeBooking({ client: locals.api, path: params, body: { seats } });
        return { done: 'booking' as const };
      },
      { kind: 'booking' as const, seats },
    );
  },

  cancelBooking: async (event) => {
    requireVisitor(event);
    const { locals, params } = event;
    return submit(
      async () => {
        await cancelBooking({ client: locals.api, path: params });
        return { done: 'booking' as const };
      },
      { kind: 'booking' as const },
    );
  },
} satisfies Actions<{ id: string }>;
