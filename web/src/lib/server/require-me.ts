import type { Me } from '@potluck/client';
import { redirect } from '@sveltejs/kit';

/**
 * The person who is signed in. Others sign in first, and learn why if their session has ended.
 * @param page the page to open after the sign-in
 */
export function requireMe({ me, session }: App.Locals, page: Pick<URL, 'pathname' | 'search'>): Me {
  if (me) return me;
  const query = new URLSearchParams({ next: page.pathname + page.search });
  if (session === 'ended') query.set('reason', 'ended');
  redirect(303, `/sign-in?${query}`);
}
