import { listAudit } from '@potluck/client';
import { actions } from '#lib/admin/moderation.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { PageServerLoad } from './$types';

const names = Object.keys(actions) as (keyof typeof actions)[];

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const asked = readQuery(url);
  const userId = asked.text('userId') || null;
  const what = names.find((name) => name === asked.text('what')) ?? null;
  const query = { ...readPage(url, 50), ...(userId && { userId }), ...(what && { what }) };
  return { userId, what, entries: await read(listAudit({ client: locals.api, query })) };
};
