import { error, redirect } from '@sveltejs/kit';
import { problemText } from '#lib/server/problems.ts';

/**
 * Refuses visitors who are no admins, before a page asks the API for anything. The API itself refuses them too.
 */
export function requireAdmin({ me }: App.Locals, url: URL): void {
  if (!me) redirect(303, `/sign-in?next=${encodeURIComponent(url.pathname + url.search)}`);
  if (me.role !== 'admin') error(403, { message: problemText('not_admin'), code: 'not_admin' });
}
