/** The page on which people answer without an account, and change their answer later. */
import {
  answerAsGuest,
  type Client,
  claimItem,
  type Event,
  type GuestRecord,
  getEvent,
  getGuest,
  type Item,
  isProblem,
  leaveAsGuest,
  requestGuestCode,
  unclaimItem,
} from '@potluck/client';
import { type Cookies, redirect } from '@sveltejs/kit';
import { countryOf, readCode, readContact } from '#lib/account/server/entered-contact.ts';
import { isTaken } from '#lib/event/bring/bring-list.ts';
import { extraGuestsOf, maxPeople } from '#lib/event/guests/answer.ts';
import {
  askOf,
  giveAnswer,
  PartlyDone,
  takeAnswerBack,
  takeSeatsToo,
} from '#lib/event/guests/server/give-answer.ts';
import { texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import { type PageFields, readQuery } from '#lib/server/read-fields.ts';
import { invitationHeader } from './invitation-header.ts';

/** Items that the form offers. The page of the event has all of them. */
const maxOffered = 12;
const statuses = ['going', 'interested'] as const;

/** The guest of the event whose token the visitor has; null without one, and once it has ended. */
export async function findGuest(
  { api: client }: App.Locals,
  { cookies, platform }: { cookies: Cookies; platform: App.Platform },
  id: string,
): Promise<GuestRecord | null> {
  const name = platform.guestCookieName(id);
  if (cookies.get(name) === undefined) return null;
  try {
    return (await getGuest({ client, path: { id } })).data;
  } catch (cause) {
    if (!isProblem(cause, 'token_invalid', 'token_missing', 'guest_not_found', 'guest_session')) throw cause;
    cookies.delete(name, { path: '/' });
    return null;
  }
}

/** Lets the visitor's browser be the guest of the event. */
export const keepGuest = (
  { cookies, platform, url }: { cookies: Cookies; platform: App.Platform; url: URL },
  id: string,
  { guestToken, expiresAt }: { guestToken: string; expiresAt: string },
): void =>
  cookies.set(platform.guestCookieName(id), guestToken, {
    ...{ path: '/', httpOnly: true, sameSite: 'lax', secure: url.protocol === 'https:' },
    expires: new Date(expiresAt),
  });

/** Null for a private event, which the new guest sees from the next request on. */
async function findEvent(client: Client, id: string): Promise<Event | null> {
  try {
    return (await getEvent({ client, path: { id } })).data;
  } catch (cause) {
    if (isProblem(cause, 'event_not_found')) return null;
    throw cause;
  }
}

/** What a guest can still bring, and brings. */
export const offeredItems = ({ enabledModules, status }: Event, items: Item[]): Item[] =>
  status === 'scheduled' && enabledModules.includes('bringList')
    ? items.filter((item) => item.kind === 'bring' && (item.myClaim || !isTaken(item))).slice(0, maxOffered)
    : [];

/** How many come with an answer, with the guest: a whole number that the API takes. */
export const readPeople = (form: PageFields): number =>
  Math.max(1, Math.min(maxPeople, Math.trunc(Number(form.get('people'))) || 1));

/** What the form of an answer asks for, before the code and with it. */
function readAnswer(form: PageFields) {
  const status = statuses.find((each) => each === form.get('status')) ?? 'going';
  return {
    ...readContact(form),
    ...texts(form, 'name', 'linkToken', 'message'),
    status,
    people: readPeople(form),
    isAgain: form.has('again'),
    asAccount: form.has('asAccount'),
    items: status === 'going' ? form.getAll('item').slice(0, 10) : [],
  };
}
type Answer = ReturnType<typeof readAnswer>;

/** The address keeps the token of the link by which the visitor came. */
const invitationOf = (url: URL) => invitationHeader(readQuery(url).text('invitation'));

const bodyOf = ({ by, contact, country }: Pick<Answer, 'by' | 'contact' | 'country'>) =>
  by === 'email' ? { email: contact } : { phone: contact, ...countryOf(country) };

export const guestAnswerActions = {
  /** Sends the code. In development the API returns it. */
  code: formAction({
    access: 'anyone',
    fields: readAnswer,
    send: ({ client, path, url }, values) =>
      requestGuestCode({
        client,
        path: { id: path.id ?? '' },
        headers: invitationOf(url),
        body: bodyOf(values),
      }),
    done: ({ data }, values) => ({ ...values, isAsked: true, devCode: data.devCode ?? null }),
    // The visitor may have a code that is still valid, so the form asks for it.
    keep: (values, code) => (code === 'too_many_codes' ? { ...values, isAsked: true } : values),
  }),

  /** Answers with the code, or with the link of the mail. */
  enter: formAction({
    access: 'anyone',
    fields: (form) => ({
      ...readAnswer(form),
      isAsked: true,
      code: readCode(form),
    }),
    send: (
      { client, path, url },
      { name, status, people, items, message, isAgain, asAccount, linkToken, code, ...contact },
    ) =>
      answerAsGuest({
        client,
        path: { id: path.id ?? '' },
        headers: invitationOf(url),
        body: {
          ...(linkToken ? { linkToken } : { ...bodyOf(contact), code }),
          ...(asAccount && { asAccount }),
          ...(!isAgain && { name, status, extraGuests: extraGuestsOf(people), ...askOf(message) }),
          ...(!isAgain && items.length > 0 && { claims: items.map((itemId) => ({ itemId, quantity: 1 })) }),
        },
      }),
    async done({ data }, { people, isAgain }, submission) {
      const { client, path } = submission;
      const [id, { guestToken, expiresAt, refused, myRsvp }] = [path.id ?? '', data];
      keepGuest(submission, id, { guestToken, expiresAt });
      const event = myRsvp === 'going' && !isAgain ? await findEvent(client, id) : null;
      if (event) await takeSeatsToo(client, event, people, guestToken);
      redirect(303, `/e/${id}/answer${refused.length > 0 ? `?refused=${refused.length}` : ''}`);
    },
  }),

  /** Changes the answer of a guest. */
  change: formAction({
    access: 'anyone',
    fields: readAnswer,
    send: ({ client, path, form }, { status, people }) => {
      const id = path.id ?? '';
      const waitlist = form.text('waitlist') === 'true';
      return orProblem(
        form.has('none')
          ? takeAnswerBack(client, id, { declines: false })
          : giveAnswer(client, id, { rsvp: status, people, waitlist }),
      );
    },
    done: backToAnswer,
  }),

  take: formAction({
    access: 'anyone',
    fields: (form) => texts(form, 'item'),
    send: ({ client }, { item }) => claimItem({ client, path: { id: item }, body: { quantity: 1 } }),
    done: backToAnswer,
  }),

  giveBack: formAction({
    access: 'anyone',
    fields: (form) => texts(form, 'item'),
    send: ({ client }, { item }) => unclaimItem({ client, path: { id: item } }),
    done: backToAnswer,
  }),

  /** Deletes the guest, with all that it has at the event. */
  leave: formAction({
    access: 'anyone',
    send: ({ client, path }) => leaveAsGuest({ client, path: { id: path.id ?? '' } }),
    done: (_, __, { cookies, platform, path }) => {
      cookies.delete(platform.guestCookieName(path.id ?? ''), { path: '/' });
      redirect(303, `/e/${path.id}`);
    },
  }),
};

function backToAnswer(_: unknown, __: unknown, { path }: { path: Record<string, string> }): never {
  redirect(303, `/e/${path.id}/answer`);
}

/** The page of the guest shows what was done, so the refusal of the rest is explained alone. */
async function orProblem(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw error instanceof PartlyDone ? error.cause : error;
  }
}
