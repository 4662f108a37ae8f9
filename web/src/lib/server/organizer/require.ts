/** Who may open the organizer's pages. */
import { type Event, getEvent, type Me } from '@potluck/client';
import { error, redirect } from '@sveltejs/kit';
import { load, problemText } from '#lib/server/problems.ts';

/** Leads visitors who are not signed in to the sign-in page, and back. */
export function requireVisitor({ me }: App.Locals, { pathname, search }: URL): Me {
  if (!me) redirect(303, `/sign-in?next=${encodeURIComponent(pathname + search)}`);
  return me;
}

/** Returns an event of the visitor; admins may open the pages of every event. */
export async function requireOwnEvent(locals: App.Locals, id: string, url: URL): Promise<Event> {
  const me = requireVisitor(locals, url);
  const event = await load(getEvent({ client: locals.api, path: { id } }));
  if (event.organizer.id !== me.id && me.role !== 'admin')
    error(403, { message: problemText('not_organizer'), code: 'not_organizer' });
  return event;
}
