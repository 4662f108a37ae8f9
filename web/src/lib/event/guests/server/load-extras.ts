/** What the page of an event loads besides the event and its items. */
import { type Event, type Guest, listGuests, ProblemError } from '@potluck/client';
import { mayOrganize } from '#lib/event/event-status.ts';
import type { EventExtras, GuestFace } from '#lib/event/guests/event-extras.ts';

/** Guests that the page shows. All of them are on a page of their own. */
const maxGuests = 8;

export async function loadExtras(event: Event, { api, me }: App.Locals): Promise<EventExtras> {
  if (isRefused(event, me)) return { guests: null };
  try {
    const { data } = await listGuests({ client: api, path: { id: event.id }, query: { limit: maxGuests } });
    return { guests: { first: data.data.map(toFace), hasMore: data.nextCursor !== null } };
  } catch (cause) {
    // Without the list, the page is still useful.
    if (cause instanceof ProblemError) return { guests: null };
    throw cause;
  }
}

/** Whether the API would certainly refuse the list: most people who open a page are neither organizer nor admin. */
const isRefused = (event: Event, me: App.Locals['me']): boolean =>
  event.guestListVisibility === 'organizer'
    ? !mayOrganize(event, me)
    : event.guestListVisibility === 'guests' && !me;

const toFace = ({ user: { id, name, avatar, hasAccount }, status, extraGuests }: Guest): GuestFace => ({
  user: { id, name, avatar, hasAccount },
  status,
  extraGuests,
});
