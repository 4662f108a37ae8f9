import {
  type Client,
  getEvent,
  listItems,
  ProblemError,
  requestCode,
  requestMailCode,
  signInBrowser,
  signInBrowserByMail,
} from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { m } from '#lib/messages/index.js';
import { PartlyDone } from '#lib/server/event/give-answer.ts';
import { formAction, texts } from '#lib/server/form-action.ts';
import { carryOut, type Intent, readIntent, toFields, withRefusal } from '#lib/server/intent.ts';
import { localPath } from '#lib/server/local-path.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api, me }, url, platform }) => {
  const next = localPath(url.searchParams.get('next'));
  const intent = readIntent(url.searchParams);
  // After the way to the provider, the page asks again: an address alone must do nothing.
  if (me && !(intent && url.searchParams.get('by') === 'oidc')) redirect(303, next);
  // Whatever an address asks for is named before it is done.
  const announcement = intent && (await announce(api, intent));
  if (me && !announcement) redirect(303, next);
  return {
    next,
    isEnded: url.searchParams.get('reason') === 'ended',
    announcement,
    hidden: intent && announcement ? toFields(intent) : {},
    demoAccounts: platform?.demoAccounts ?? [],
  };
};

export const actions: Actions = {
  /** Sends the code. In development the API returns it. */
  code: formAction({
    fields: (form): Entered => readContact(form),
    send: ({ client }, { by, contact, country }) =>
      by === 'email'
        ? requestMailCode({ client, body: { email: contact } })
        : requestCode({ client, body: { phone: contact, ...countryOf(country) } }),
    done: ({ data }, values) => ({ ...values, devCode: data.devCode ?? null }),
    // The visitor may have a code that is still valid, so the form asks for it.
    keep: (values, code) => (code === 'too_many_codes' ? { ...values, code: '' } : values),
  }),

  /** Signs in, does what the visitor chose before, and continues where the visitor was. */
  enter: formAction({
    fields: (form) => ({ ...readContact(form), code: texts(form, 'code').code.replace(/\s/g, '') }),
    send: ({ client }, { by, contact, country, code }) =>
      by === 'email'
        ? signInBrowserByMail({ client, body: { email: contact, code } })
        : signInBrowser({ client, body: { phone: contact, code, ...countryOf(country) } }),
    done: (_, __, { client, form }) => goOn(client, form),
  }),

  /** Does what the visitor chose before the sign-in at the provider. */
  goOn: formAction({
    guard: requireMe,
    send: async () => {},
    done: (_, __, { client, form }) => goOn(client, form),
  }),
};

/** Does what the visitor chose before, and opens the page where the visitor was. @throws always */
async function goOn(client: Client, form: FormData): Promise<never> {
  const next = localPath(form.get('next'));
  const intent = readIntent(form);
  const refusal = intent && (await refusalOf(carryOut(client, intent)));
  redirect(303, intent && refusal ? withRefusal(next, refusal, intent) : next);
}

/** `contact`: the number or the address, as it was typed. `code`: undefined until one is asked for. */
type Entered = { by: 'phone' | 'email'; contact: string; country: string; code?: string };

function readContact(form: FormData): Entered {
  const { phone, email, country } = texts(form, 'phone', 'email', 'country');
  const by = form.has('email') ? 'email' : 'phone';
  return { by, contact: by === 'email' ? email : phone, country };
}

/** Without scripts, a page does not know the country of the visitor. */
const countryOf = (country: string) => (country === '' ? {} : { country });

/** Says what will be done after the sign-in; null if the visitor cannot do it. */
async function announce(client: Client, { eventId, rsvp, waitlist, itemId }: Intent): Promise<string | null> {
  try {
    const { data: event } = await getEvent({ client, path: { id: eventId } });
    const { title } = event;
    if (itemId === null && rsvp === 'interested') return m.event_intent_interested({ title });
    if (itemId === null)
      return waitlist ? m.event_intent_waitlist({ title }) : m.event_intent_going({ title });
    const { data: items } = await listItems({ client, path: { id: eventId } });
    const item = items.data.find(({ id }) => id === itemId);
    return item ? m.event_intent_bring({ item: item.title, title }) : null;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}

/** The code of the problem; null if the work succeeds. */
async function refusalOf(work: Promise<void>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof ProblemError || error instanceof PartlyDone) return error.code;
    throw error;
  }
}
