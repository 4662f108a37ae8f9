/** What the page of an event loads besides the event and its items. */
import {
  type Announcement,
  type Event,
  type Guest,
  listAnnouncements,
  listGuests,
  listSeriesAnnouncements,
  ProblemError,
} from '@potluck/client';
import { mayOrganize } from '#lib/event/event-status.ts';
import type { EventExtras, GuestFace } from '#lib/event/guests/event-extras.ts';

/** Guests that the page shows. All of them are on a page of their own. */
const maxGuests = 8;

export async function loadExtras(event: Event, locals: App.Locals): Promise<EventExtras> {
  const [guests, announcements] = await Promise.all([
    findGuests(event, locals),
    findAnnouncements(event, locals),
  ]);
  return { guests, announcements };
}

async function findGuests(event: Event, { api, me }: App.Locals): Promise<EventExtras['guests']> {
  if (isRefused(event, me)) return null;
  try {
    const { data } = await listGuests({ client: api, path: { id: event.id }, query: { limit: maxGuests } });
    return { first: data.data.map(toFace), hasMore: data.nextCursor !== null };
  } catch (cause) {
    // Without the list, the page is still useful.
    if (cause instanceof ProblemError) return null;
    throw cause;
  }
}

/** A record without an RSVP is that of a visitor without a token, who reads none. What is scheduled stands on the page of the form. */
async function findAnnouncements(
  { id, series, myRsvp }: Event,
  { api: client, me }: App.Locals,
): Promise<Announcement[]> {
  if (myRsvp === undefined) return [];
  try {
    const lists = await Promise.all([
      listAnnouncements({ client, path: { id } }),
      // What is written to all dates stands on the page of each; a guest token reads no series.
      ...(series && me ? [listSeriesAnnouncements({ client, path: { id: series.id } })] : []),
    ]);
    return lists
      .flatMap(({ data }) => data.data)
      .filter(({ status }) => status === 'sent')
      .sort((a, b) => (a.sendAt < b.sendAt ? 1 : -1));
  } catch (cause) {
    if (cause instanceof ProblemError) return [];
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
