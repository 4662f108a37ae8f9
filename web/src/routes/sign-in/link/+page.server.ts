import { isProblem, readLink, signInByLink } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { announce, goOn } from '#lib/event/guests/server/after-sign-in.ts';
import { texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import { localPath, parsePath } from '#lib/server/local-path.ts';
import { PageFields, readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { me, api }, url }) => {
  const asked = readQuery(url);
  const next = localPath(asked.text('next'));
  if (me) redirect(303, next);
  const query = queryOf(next);
  const token = asked.text('token');
  return {
    token,
    contact: token === '' ? null : await contactOf(api, token),
    ...(await announce(api, new PageFields(query))),
    /** Where this form is sent, and where a new link can be had, for the same page that follows. */
    action: `/sign-in/link?${new URLSearchParams({ next })}`,
    again: `/sign-in?${new URLSearchParams({ ...Object.fromEntries(query), by: 'email' })}`,
  };
};

export const actions: Actions = {
  /** Programs that check mails open links, and press no buttons. */
  default: formAction({
    access: 'anyone',
    fields: (form) => texts(form, 'token'),
    send: ({ client }, body) => signInByLink({ client, body }),
    done: (_, __, { client, form }) => goOn(client, form),
  }),
};

/** Null for a token that the server did not make; the sign-in itself says so. */
async function contactOf(client: App.Locals['api'], token: string): Promise<string | null> {
  const read = readLink({ client, body: { token } });
  return await read
    .then(({ data }) => data.contact)
    .catch((error: unknown) => {
      if (isProblem(error)) return null;
      throw error;
    });
}

/** If the page that follows is that of the sign-in, this one does what it would do. */
function queryOf(path: string): URLSearchParams {
  const { pathname, search } = parsePath(path);
  return new URLSearchParams(pathname === '/sign-in' ? search : { next: path });
}
