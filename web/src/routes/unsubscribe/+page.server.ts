import { unsubscribe } from '@potluck/client';
import { texts } from '#lib/forms/texts.ts';
import { kinds } from '#lib/inbox/notifications.ts';
import { formAction } from '#lib/server/form-action.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

/** Programs that check mails open links, and press no buttons: opening the page changes nothing. */
export const load: PageServerLoad = ({ url }) => {
  const token = readQuery(url).text('token');
  return { token, kind: kindOf(token), isOfInvitation: token.startsWith('invitations.') };
};

/** The kind that the token names; null if it is not one of a mail. */
const kindOf = (token: string) =>
  ([...kinds, 'summary'] as const).find((kind) => token.startsWith(`${kind}.`)) ?? null;

export const actions: Actions = {
  kind: formAction({
    access: 'anyone',
    fields: (form) => texts(form, 'token'),
    send: ({ client }, query) => unsubscribe({ client, query }),
    done: () => ({ stopped: 'kind' as const }),
  }),

  /** All invitations to the contact, from anyone. */
  refuse: formAction({
    access: 'anyone',
    fields: (form) => texts(form, 'token'),
    send: ({ client }, query) => unsubscribe({ client, query }),
    done: () => ({ isRefused: true }),
  }),

  accept: formAction({
    access: 'anyone',
    fields: (form) => texts(form, 'token'),
    send: ({ client }, { token }) => unsubscribe({ client, query: { token, undo: true } }),
    done: () => ({ isRefused: false }),
  }),

  all: formAction({
    access: 'anyone',
    fields: (form) => texts(form, 'token'),
    send: ({ client }, { token }) => unsubscribe({ client, query: { token, all: true } }),
    done: () => ({ stopped: 'all' as const }),
  }),
};
