/** What the page of an event loads besides the event and its items. */
import { type Event, type Guest, listGuests, ProblemError } from '@potluck/client';

/** Guests that the page shows. All of them are on a page of their own. */
const maxGuests = 8;

export type EventExtras = {
  /** Null if the visitor may not see who comes. */
  guests: { first: Guest[]; hasMore: boolean } | null;
};

export async function loadExtras(event: Event, { api, me }: App.Locals): Promise<EventExtras> {
  if (!me && event.guestListVisibility !== 'everyone') return { guests: null };
  try {
    const { data } = await listGuests({ client: api, path: { id: event.id }, query: { limit: maxGuests } });
    return { guests: { first: data.data, hasMore: data.nextCursor !== null } };
  } catch (cause) {
    // Without the list, the page is still useful.
    if (cause instanceof ProblemError) return { guests: null };
    throw cause;
  }
}
