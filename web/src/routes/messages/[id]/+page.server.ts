import { listMessages, markMessagesRead, sendMessage } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { linesOf } from '#lib/forms/texts.ts';
import { findCorrespondent } from '#lib/server/find-person.ts';
import { formAction, texts } from '#lib/server/form-action.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, params, url, depends }) => {
  depends('app:thread');
  const me = requireMe(locals, url);
  if (me.id === params.id) redirect(303, '/messages');
  const { api } = locals;
  const [person, { data, nextCursor }] = await Promise.all([
    findCorrespondent(api, params.id),
    read(listMessages({ client: api, path: params, query: readPage(url, 50) })),
  ]);
  return { person, messages: data.toReversed(), nextCursor, key: crypto.randomUUID() };
};

const showNewest = (id: string): never => redirect(303, `/messages/${id}#newest`);

export const actions: Actions = {
  send: formAction({
    fields: (form) => ({ ...texts(form, 'key'), text: linesOf(form.get('text')) }),
    send: async ({ client, path, headers }, { text }) => {
      await sendMessage({ client, path, body: { text }, headers });
      await markMessagesRead({ client, path });
    },
    done: (_, __, { path }) => showNewest(path.id),
  }),

  /** For browsers without scripts. */
  read: formAction({
    send: ({ client, path }) => markMessagesRead({ client, path }),
    done: (_, __, { path }) => showNewest(path.id),
  }),
};
