/** What a visitor chose on a page before the sign-in, and what is done after it. */
import { type Client, claimItem, followUser, isProblem, saveEvent } from '@potluck/client';
import { type GivenAnswer, giveAnswer } from '#lib/event/guests/server/give-answer.ts';
import { localPath, parsePath } from '#lib/server/local-path.ts';
import type { PageFields } from '#lib/server/read-fields.ts';

/** `follow`: the id of a person. `save`: the id of an event. */
export type Intent = EventIntent | { follow: string } | { save: string };

export type EventIntent = GivenAnswer & {
  eventId: string;
  /** An item to claim; null for the RSVP alone. */
  itemId: string | null;
  quantity: number;
  /** What exactly the person brings. A sign-in does not carry it. */
  note: string | null;
};

/** Reads the fields of a form, or the query of an address; null if they have no intent. */
export function readIntent(fields: PageFields): Intent | null {
  const [follow, save, eventId] = ['follow', 'save', 'eventId'].map((name) => fields.text(name));
  if (follow) return { follow };
  if (save) return { save };
  if (!eventId) return null;
  const itemId = fields.get('itemId');
  return {
    eventId,
    ...readAnswer(fields, 'rsvp'),
    itemId: typeof itemId === 'string' && itemId !== '' ? itemId : null,
    quantity: Number(fields.get('quantity') ?? 1),
    note: null,
  };
}

/** Reads an answer. @param name of the field with the status */
export const readAnswer = (fields: PageFields, name: string): GivenAnswer => ({
  rsvp: fields.get(name) === 'interested' ? 'interested' : 'going',
  people: fields.get('people') ? Number(fields.get('people')) : null,
  waitlist: fields.get('waitlist') === 'true',
  message: fields.text('message'),
});

/** The fields that `readIntent` reads. */
export const toFields = (intent: Intent): Record<string, string> => {
  if (!('eventId' in intent)) return intent;
  const { eventId, rsvp, people, waitlist, itemId, quantity } = intent;
  return {
    eventId,
    rsvp,
    ...(people !== null && { people: String(people) }),
    ...(waitlist && { waitlist: 'true' }),
    ...(itemId !== null && { itemId, quantity: String(quantity) }),
  };
};

/** The address of the sign-in that carries out an intent and leads to the page of the event. */
export const signInPath = (intent: Exclude<Intent, { follow: string }>): string => {
  const next = `/e/${'save' in intent ? intent.save : intent.eventId}`;
  return `/sign-in?${new URLSearchParams({ next, ...toFields(intent) })}`;
};

/** The longest path that the API keeps during a sign-in. */
const maxPageLength = 1_000;

/**
 * The page that follows a sign-in which leaves this one: that of the sign-in, if the form has an intent that is to be
 * announced there, or the page where the visitor was.
 */
export function signInPage(form: PageFields): string {
  const intent = readIntent(form);
  const next = localPath(form.get('next'));
  const page = intent ? `/sign-in?${new URLSearchParams({ by: 'oidc', next, ...toFields(intent) })}` : next;
  return page.length > maxPageLength ? '/' : page;
}

/** Does what the visitor chose. @throws ProblemError @throws PartlyDone */
export async function carryOut(client: Client, intent: Intent): Promise<void> {
  if ('follow' in intent) await followUser({ client, path: { id: intent.follow } });
  else if ('save' in intent) await saveEvent({ client, path: { id: intent.save }, body: { saved: true } });
  else await giveAnswerAndClaim(client, intent);
}

async function giveAnswerAndClaim(client: Client, intent: EventIntent): Promise<void> {
  const { eventId, itemId, quantity, note } = intent;
  await giveAnswer(client, eventId, intent);
  if (itemId !== null) await claimItem({ client, path: { id: itemId }, body: { quantity, note } });
}

/** Claims an item. People who have not said that they are going say so with it. @throws ProblemError @throws PartlyDone */
export async function claimAsGuest(client: Client, intent: EventIntent & { itemId: string }): Promise<void> {
  const { itemId, quantity, note } = intent;
  try {
    await claimItem({ client, path: { id: itemId }, body: { quantity, note } });
  } catch (error) {
    if (!isProblem(error, 'rsvp_required')) throw error;
    await giveAnswerAndClaim(client, intent);
  }
}

/** The address of a page that says what was done; an answer to an event is seen there anyway. */
export function withDone(path: string, intent: Intent): string {
  if ('eventId' in intent) return path;
  const url = parsePath(path);
  url.searchParams.set('done', 'save' in intent ? 'save' : intent.follow);
  return url.pathname + url.search + url.hash;
}

/** Stands for a problem code: the answer waits until the visitor says what happens to their claims. */
export const claimsInQuestion = 'claims_in_question';

/** Adds a refused intent to the address of the page that explains it: that of the person who cannot be followed, or `path`. */
export function withRefusal(path: string, code: string, intent: Intent): string {
  const url = parsePath('follow' in intent ? `/u/${encodeURIComponent(intent.follow)}` : path);
  url.searchParams.set('refused', code);
  if ('save' in intent) url.searchParams.set('itemId', 'save');
  else if ('eventId' in intent) addEntered(url, intent);
  return url.pathname + url.search + url.hash;
}

function addEntered(url: URL, { itemId, people, quantity }: EventIntent): void {
  if (itemId !== null) {
    url.searchParams.set('itemId', itemId);
    url.searchParams.set('quantity', String(quantity));
    url.hash = `item-${itemId}`;
  } else if (people !== null) url.searchParams.set('quantity', String(people));
}
