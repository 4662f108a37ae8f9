import {
  removeEmail,
  removeIdentity,
  removePhone,
  requestContactCode,
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
  const query = readQuery(url);
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
    isLinkedNow: query.has('linked'),
    /** The page of the provider sends people here who must confirm the change first. */
    needsProof: query.has('confirm'),
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
    send: ({ client, form }, { kind, code }) => {
      const body = { code, endOtherSessions: form.has('endOtherSessions'), ...readProof(form) };
      return kind === 'email' ? verifyEmail({ client, body }) : verifyPhone({ client, body });
    },
    done: () => redirect(303, here),
  }),

  remove: formAction({
    access: 'people',
    fields: (form): Entered => readContact(form),
    send: ({ client, form }, { kind }) => {
      const query = readProof(form);
      return kind === 'email' ? removeEmail({ client, query }) : removePhone({ client, query });
    },
    done: () => redirect(303, here),
  }),

  /** Sends a code to a contact that the account has, and keeps what is entered for a change. */
  prove: formAction({
    access: 'people',
    fields: (form): Entered => ({
      ...readContact(form),
      isCodeSent: form.has('isCodeSent'),
      proof: toKind(form.text('to')),
    }),
    send: ({ client }, { proof }) => requestContactCode({ client, body: { to: proof ?? 'phone' } }),
    done: ({ data }, values) => ({ values, proofCode: data.devCode ?? null }),
    // A code that was sent before may still be valid.
    keep: (values, code) => (code === 'too_many_codes' ? values : { ...values, proof: undefined }),
  }),

  /** Guests see the address of the organizer, or do not. */
  replies: formAction({
    access: 'people',
    send: ({ client, form }) => updateMe({ client, body: { mailReplies: form.has('mailReplies') } }),
    done: () => redirect(303, here),
  }),

  unlink: formAction({
    access: 'people',
    fields: (form): Entered => readContact(form),
    send: ({ client, form }) => removeIdentity({ client, query: readProof(form) }),
    done: () => redirect(303, here),
  }),
};

type Kind = 'phone' | 'email';

/** `contact`: the number or the address, as it was typed. `proof`: the contact that was asked to confirm the change. */
type Entered = {
  kind: Kind;
  contact: string;
  country: string;
  code: string;
  isCodeSent: boolean;
  proof: Kind | undefined;
};

function readContact(form: PageFields): Entered {
  const {
    kind: entered,
    country,
    code,
    proof,
    ...contacts
  } = texts(form, ...(['kind', 'phone', 'email', 'country', 'code', 'proof'] as const));
  const kind = toKind(entered) ?? 'phone';
  return {
    ...{ kind, contact: contacts[kind], country, isCodeSent: false },
    ...{ code: code.replace(/\s/g, ''), proof: toKind(proof) },
  };
}

const toKind = (text: string): Kind | undefined => (text === 'phone' || text === 'email' ? text : undefined);

function readProof(form: PageFields): { confirmCode?: string } {
  const confirmCode = form.text('confirmCode').replace(/\s/g, '');
  return confirmCode === '' ? {} : { confirmCode };
}
