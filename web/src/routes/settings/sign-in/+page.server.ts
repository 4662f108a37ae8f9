import {
  removeEmail,
  removeIdentity,
  removePhone,
  requestEmail,
  requestPhone,
  updateMe,
  verifyEmail,
  verifyPhone,
} from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import { type PageFields, readQuery } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

const here = '/settings/sign-in';

export const load: PageServerLoad = async ({ locals, url, platform }) => {
  const { phone, email, oidc, mailReplies } = requireMe(locals, url);
  const ways = (await platform?.findSettings())?.signInWays ?? [];
  const contacts = { phone, email, oidc };
  // The API refuses to remove the only way to sign in.
  const hasOther = (kind: keyof typeof contacts) =>
    ways.some((way) => way !== kind && contacts[way] !== null);
  return {
    contacts: (['phone', 'email'] as const)
      .filter((kind) => ways.includes(kind) || contacts[kind] !== null)
      .map((kind) => ({
        kind,
        value: contacts[kind],
        canChange: ways.includes(kind),
        canRemove: hasOther(kind),
      })),
    identity:
      oidc === null && !ways.includes('oidc')
        ? null
        : { isLinked: oidc !== null, canLink: ways.includes('oidc'), canRemove: hasOther('oidc') },
    mailReplies,
    isLinkedNow: readQuery(url).has('linked'),
  };
};

export const actions: Actions = {
  /** Sends a code to a new contact. In development the API returns it. */
  code: formAction({
    access: 'people',
    fields: (form): Entered => readContact(form),
    send: ({ client }, { kind, contact, country }) =>
      kind === 'email'
        ? requestEmail({ client, body: { email: contact } })
        : requestPhone({ client, body: { phone: contact, ...(country !== '' && { country }) } }),
    done: ({ data }, values) => ({ values: { ...values, isCodeSent: true }, devCode: data.devCode ?? null }),
    // A code that was sent before may still be valid, so the form asks for it.
    keep: (values, code) => ({ ...values, isCodeSent: code === 'too_many_codes' }),
  }),

  verify: formAction({
    access: 'people',
    fields: (form): Entered => ({ ...readContact(form), isCodeSent: true }),
    send: ({ client, form }, { kind }) => {
      const code = texts(form, 'code').code.replace(/\s/g, '');
      const body = { code, endOtherSessions: form.has('endOtherSessions') };
      return kind === 'email' ? verifyEmail({ client, body }) : verifyPhone({ client, body });
    },
    done: () => redirect(303, here),
  }),

  remove: formAction({
    access: 'people',
    fields: (form): Entered => readContact(form),
    send: ({ client }, { kind }) => (kind === 'email' ? removeEmail({ client }) : removePhone({ client })),
    done: () => redirect(303, here),
  }),

  /** Guests see the address of the organizer, or do not. */
  replies: formAction({
    access: 'people',
    send: ({ client, form }) => updateMe({ client, body: { mailReplies: form.has('mailReplies') } }),
    done: () => redirect(303, here),
  }),

  unlink: formAction({
    access: 'people',
    send: ({ client }) => removeIdentity({ client }),
    done: () => redirect(303, here),
  }),
};

/** `contact`: the number or the address, as it was typed. */
type Entered = { kind: 'phone' | 'email'; contact: string; country: string; isCodeSent: boolean };

function readContact(form: PageFields): Entered {
  const { kind, phone, email, country } = texts(form, 'kind', 'phone', 'email', 'country');
  return kind === 'email'
    ? { kind, contact: email, country, isCodeSent: false }
    : { kind: 'phone', contact: phone, country, isCodeSent: false };
}
