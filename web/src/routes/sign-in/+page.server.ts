import { requestCode, requestMailCode, signInBrowser, signInBrowserByMail } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { countryOf, type Entered, readCode, readContact } from '#lib/account/server/entered-contact.ts';
import { announce, goOn } from '#lib/event/guests/server/after-sign-in.ts';
import { signInPage } from '#lib/event/guests/server/intent.ts';
import { formAction } from '#lib/server/form-action.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api, me }, url, platform }) => {
  const query = readQuery(url);
  const announced = await announce(api, query);
  // After the way to the provider, the page asks again: an address alone must do nothing.
  if (me && !(announced.announcement && query.text('by') === 'oidc')) redirect(303, announced.next);
  return {
    ...announced,
    isEnded: query.text('reason') === 'ended',
    demoAccounts: platform?.demoAccounts ?? [],
  };
};

export const actions: Actions = {
  /** Sends the code. In development the API returns it. */
  code: formAction({
    access: 'anyone',
    fields: (form): Entered => readContact(form),
    send: ({ client, form }, { by, contact, country }) =>
      by === 'email'
        ? requestMailCode({ client, body: { email: contact, next: signInPage(form) } })
        : requestCode({ client, body: { phone: contact, ...countryOf(country) } }),
    done: ({ data }, values) => ({ ...values, devCode: data.devCode ?? null }),
    // The visitor may have a code that is still valid, so the form asks for it.
    keep: (values, code) => (code === 'too_many_codes' ? { ...values, code: '' } : values),
  }),

  /** Signs in, does what the visitor chose before, and continues where the visitor was. */
  enter: formAction({
    access: 'anyone',
    fields: (form) => ({ ...readContact(form), code: readCode(form) }),
    send: ({ client }, { by, contact, country, code }) =>
      by === 'email'
        ? signInBrowserByMail({ client, body: { email: contact, code } })
        : signInBrowser({ client, body: { phone: contact, code, ...countryOf(country) } }),
    done: (_, __, { client, form }) => goOn(client, form),
  }),

  /** Does what the visitor chose before the sign-in at the provider. */
  goOn: formAction({
    access: 'people',
    send: async () => {},
    done: (_, __, { client, form }) => goOn(client, form),
  }),
};
