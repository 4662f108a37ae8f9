import { getUser, report } from '@potluck/client';
import { error } from '@sveltejs/kit';
import { m } from '#lib/messages/index.js';
import { reportReasons, reportTypes } from '#lib/people/report.ts';
import { formAction, linesOf, texts } from '#lib/server/form-action.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

/** `/report?type=…&id=…`, where `type` is that of the API: `event`, `item`, `message` or `user`. */
function readSubject({ searchParams }: URL) {
  const type = reportTypes.find((name) => name === searchParams.get('type'));
  const id = searchParams.get('id');
  if (!type || !id) error(404, { message: m.error_not_found() });
  return { type, id };
}

export const load: PageServerLoad = async ({ locals, url }) => {
  requireMe(locals, url);
  const subject = readSubject(url);
  // The name of a private profile is not shown.
  const person =
    subject.type === 'user'
      ? await getUser({ client: locals.api, path: { id: subject.id } }).catch(() => null)
      : null;
  return { subject, name: person?.data.name ?? null, key: crypto.randomUUID() };
};

export const actions: Actions = {
  default: formAction({
    fields: (form) => ({
      ...texts(form, 'key'),
      text: linesOf(form.get('text')),
      reason: reportReasons.find((name) => name === form.get('reason')) ?? 'other',
    }),
    send: ({ client, headers, url }, { reason, text }) =>
      report({ client, body: { subject: readSubject(url), reason, ...(text && { text }) }, headers }),
    done: () => ({ isReported: true }),
  }),
};
