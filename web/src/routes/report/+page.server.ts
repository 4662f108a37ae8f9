import { getUser, report } from '@potluck/client';
import { error } from '@sveltejs/kit';
import { m } from '#lib/messages/index.js';
import { reportReasons, reportTypes } from '#lib/people/report.ts';
import { submit } from '#lib/server/problems.ts';
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
  default: async ({ locals: { api }, request, url }) => {
    const subject = readSubject(url);
    const form = await request.formData();
    const key = String(form.get('key') ?? '');
    const text = String(form.get('text') ?? '').replaceAll('\r\n', '\n');
    const reason = reportReasons.find((name) => name === form.get('reason')) ?? 'other';
    return submit(
      async () => {
        const headers = key === '' ? {} : { 'Idempotency-Key': key };
        await report({ client: api, body: { subject, reason, ...(text && { text }) }, headers });
        return { isReported: true };
      },
      { reason, text, key },
    );
  },
};
