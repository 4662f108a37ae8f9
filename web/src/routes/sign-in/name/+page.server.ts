import { updateMe } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { announce, finish } from '#lib/event/guests/server/after-sign-in.ts';
import { texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import { hasGeneratedName } from '#lib/session/visitor.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  const me = requireMe(locals, url);
  const { next, announcement } = await announce(locals.api, readQuery(url));
  // An address alone does nothing.
  if (!hasGeneratedName(me)) redirect(303, next);
  return { announcement, action: url.pathname + url.search };
};

export const actions: Actions = {
  /** Stores the name, does what the visitor chose before the sign-in, and opens the page where the visitor was. */
  default: formAction({
    access: 'people',
    fields: (form) => texts(form, 'name'),
    send: ({ client }, body) => updateMe({ client, body }),
    done: (_, __, { client, url }) => finish(client, readQuery(url)),
  }),
};
