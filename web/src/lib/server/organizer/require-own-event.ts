import { type Event, getEvent, type Me } from '@potluck/client';
import { error } from '@sveltejs/kit';
import { load, problemText } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';

/** Whether a person may open the organizer's pages of an event: the organizer, and admins. */
export const mayManage = (me: Me | null, event: Event): boolean =>
  me !== null && (event.organizer.id === me.id || me.role === 'admin');

/** Returns an event of the visitor; admins may open the organizer's pages of every event. */
export async function requireOwnEvent(locals: App.Locals, id: string, url: URL): Promise<Event> {
  const me = requireMe(locals, url);
  const event = await load(getEvent({ client: locals.api, path: { id } }));
  if (!mayManage(me, event)) error(403, { message: problemText('not_organizer'), code: 'not_organizer' });
  return event;
}
