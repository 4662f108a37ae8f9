import { deleteComment, getEvent, writeComment } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { loadComments } from '#lib/event/comments/server/load-comments.ts';
import { linesOf, texts } from '#lib/forms/texts.ts';
import { formAction, type Submission } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import type { Actions, PageServerLoad } from './$types';

/** All comments, for visitors without scripts too. */
export const load: PageServerLoad = async ({ locals, params, url }) => {
  const event = await read(getEvent({ client: locals.api, path: params }));
  return { event, comments: await loadComments(event, locals, url) };
};

/** Stays on the page of the event, which only has these forms with scripts. */
const stay = (_result: unknown, _values: unknown, { path, form }: Submission<{ id: string }>): never =>
  redirect(303, form.has('isOnEvent') ? `/e/${path.id}` : `/e/${path.id}/comments`);

export const actions: Actions = {
  // Guests without an account write too.
  write: formAction({
    access: 'anyone',
    fields: (form) => ({ ...texts(form, 'key', 'replyTo'), text: linesOf(form.get('text')) }),
    send: ({ client, path, headers }, { text, replyTo }) =>
      writeComment({ client, path, body: { text, replyTo: replyTo || null }, headers }),
    done: stay,
  }),
  delete: formAction({
    access: 'anyone',
    fields: (form) => texts(form, 'id'),
    send: ({ client }, { id }) => deleteComment({ client, path: { id } }),
    done: stay,
  }),
};
