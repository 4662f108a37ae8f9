import type { Me } from '@potluck/client';
import { redirect } from '@sveltejs/kit';

/** The person who is signed in. Others sign in first, and learn why if their session has ended. */
export function requireMe({ me, session }: App.Locals, { pathname, search }: URL): Me {
  if (me) return me;
  const query = new URLSearchParams({ next: pathname + search });
  if (session === 'ended') query.set('reason', 'ended');
  redirect(303, `/sign-in?${query}`);
}
