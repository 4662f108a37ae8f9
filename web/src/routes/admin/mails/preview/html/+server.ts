import { previewMail } from '@potluck/client';
import { readMailChoice } from '#lib/admin/server/mail-choice.ts';
import { load } from '#lib/server/problems.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { RequestHandler } from './$types';

/** Mails have styles in their elements, and load nothing. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox";

/** The HTML of a mail, for the frames of the preview. */
export const GET: RequestHandler = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const { html } = await load(previewMail({ client: locals.api, query: readMailChoice(url) }));
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
  return new Response(html, { headers });
};
