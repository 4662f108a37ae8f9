import { previewMail } from '@potluck/client';
import { readMailChoice } from '#lib/admin/server/mail-choice.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const choice = readMailChoice(url);
  const { sender, subject, text } = await read(previewMail({ client: locals.api, query: choice }));
  return { choice, mail: { sender, subject, text } };
};
