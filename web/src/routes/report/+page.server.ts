import { type Client, getEvent, getUser, listItems, ProblemError, report } from '@potluck/client';
import { error } from '@sveltejs/kit';
import { linesOf, texts } from '#lib/forms/texts.ts';
import { m } from '#lib/messages/index.js';
import { reportReasons, reportTypes } from '#lib/people/report.ts';
import { formAction } from '#lib/server/form-action.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

/** `/report?type=…&id=…`, where `type` is that of the API: `event`, `item`, `message`, `user` or `comment`. */
function readSubject(url: URL) {
  const query = readQuery(url);
  const type = reportTypes.find((name) => name === query.text('type'));
  const id = query.text('id');
  if (!type || !id) error(404, { message: m.error_not_found() });
  return { type, id };
}

export const load: PageServerLoad = async ({ locals, url }) => {
  requireMe(locals, url);
  const subject = readSubject(url);
  const details = await readDetails(locals.api, subject).catch((error) => {
    // The name of a private profile is not shown. The form says what else is missing when it is sent.
    if (error instanceof ProblemError) return nothing;
    throw error;
  });
  return { subject, ...details, key: crypto.randomUUID() };
};

type Details = { name: string | null; items: { id: string; title: string }[] };
const nothing: Details = { name: null, items: [] };

/** The name of a person or an event, and the items of an event, which can be reported in its place. */
async function readDetails(client: Client, subject: ReturnType<typeof readSubject>): Promise<Details> {
  const { type, id } = subject;
  if (type === 'user') return { ...nothing, name: (await getUser({ client, path: { id } })).data.name };
  if (type !== 'event') return nothing;
  const [event, items] = await Promise.all([
    getEvent({ client, path: { id } }),
    listItems({ client, path: { id } }),
  ]);
  return {
    name: event.data.title,
    items: items.data.data.map((item) => ({ id: item.id, title: `${item.emoji} ${item.title}` })),
  };
}

export const actions: Actions = {
  default: formAction({
    access: 'people',
    fields: (form) => ({
      ...texts(form, 'key', 'item'),
      text: linesOf(form.get('text')),
      reason: reportReasons.find((name) => name === form.get('reason')) ?? 'other',
    }),
    send: ({ client, headers, url }, { item, reason, text }) => {
      const subject = item ? { type: 'item' as const, id: item } : readSubject(url);
      return report({ client, body: { subject, reason, ...(text && { text }) }, headers });
    },
    done: () => ({ isReported: true }),
  }),
};
