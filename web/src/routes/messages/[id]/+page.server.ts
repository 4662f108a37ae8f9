import { listMessages, markMessagesRead, sendMessage } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { findCorrespondent } from '#lib/server/find-person.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read, submit } from '#lib/server/problems.ts';
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

export const actions: Actions = {
  send: async ({ locals: { api }, params, request }) => {
    const form = await request.formData();
    const text = String(form.get('text') ?? '').replaceAll('\r\n', '\n');
    const key = String(form.get('key') ?? '');
    const result = await submit(
      async () => {
        const headers = key === '' ? {} : { 'Idempotency-Key': key };
        await sendMessage({ client: api, path: params, body: { text }, headers });
        await markMessagesRead({ client: api, path: params });
        return {};
      },
      { text, key },
    );
    if ('status' in result) return result;
    redirect(303, `/messages/${params.id}#newest`);
  },

  /** For browsers without scripts. */
  read: async ({ locals: { api }, params }) => {
    const result = await submit(
      async () => {
        await markMessagesRead({ client: api, path: params });
        return {};
      },
      { text: '', key: '' },
    );
    if ('status' in result) return result;
    redirect(303, `/messages/${params.id}#newest`);
  },
};
