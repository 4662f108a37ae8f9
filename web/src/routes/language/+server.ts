import { updateMe } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { isLanguage, languageCookie } from '#lib/language/languages.ts';
import { localPath } from '#lib/server/local-path.ts';
import { readForm } from '#lib/server/read-fields.ts';
import type { RequestHandler } from './$types';

const aYear = 365 * 86_400;

/** Stores the chosen language in a cookie and, for mails, in the account, and returns to the page. */
export const POST: RequestHandler = async ({ request, cookies, url, locals }) => {
  const form = await readForm({ request });
  const language = form.text('language');
  if (isLanguage(language)) {
    cookies.set(languageCookie, language, { path: '/', maxAge: aYear, secure: url.protocol === 'https:' });
    // The language of the pages changes also while the API is busy.
    if (locals.me) await updateMe({ client: locals.api, body: { language } }).catch(() => {});
  }
  redirect(303, localPath(form.get('next')));
};
