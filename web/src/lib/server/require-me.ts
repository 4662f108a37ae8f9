import type { Me } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { fieldLimits } from '#lib/generated/field-limits.ts';

/**
 * The person who is signed in. Others sign in first, and learn why if their session has ended.
 * @param page the page to open after the sign-in
 */
export function requireMe({ me, session }: App.Locals, page: Pick<URL, 'pathname' | 'search'>): Me {
  if (me) return me;
  const query = new URLSearchParams({ next: pageAfterSignIn(page) });
  if (session === 'ended') query.set('reason', 'ended');
  redirect(303, `/sign-in?${query}`);
}

/** Without a query, or the front page, if the address is longer than the API keeps during a sign-in. */
function pageAfterSignIn({ pathname, search }: Pick<URL, 'pathname' | 'search'>): string {
  const { next: limit = 0 } = fieldLimits;
  return [pathname + search, pathname].find(({ length }) => length <= limit) ?? '/';
}
