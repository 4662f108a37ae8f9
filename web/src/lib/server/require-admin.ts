import { error } from '@sveltejs/kit';
import { problemText } from '#lib/server/problems.ts';
import { requireMe } from './require-me.ts';

/**
 * Refuses visitors who are no admins, before a page asks the API for anything. The API itself refuses them too.
 */
export function requireAdmin(locals: App.Locals, url: URL): void {
  const { role } = requireMe(locals, url);
  if (role !== 'admin') error(403, { message: problemText('not_admin'), code: 'not_admin' });
}
