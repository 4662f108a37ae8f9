import { type Event, getEvent } from '@potluck/client';
import { error } from '@sveltejs/kit';
import { mayOrganize } from '#lib/event/event-status.ts';
import { load, problemText } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';

/** Returns an event of the visitor; admins may open the organizer's pages of every event. */
export async function requireOwnEvent(locals: App.Locals, id: string, url: URL): Promise<Event> {
  const me = requireMe(locals, url);
  const event = await load(getEvent({ client: locals.api, path: { id } }));
  if (!mayOrganize(event, me)) error(403, { message: problemText('not_organizer'), code: 'not_organizer' });
  return event;
}
