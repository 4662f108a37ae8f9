/** What a visitor chose on the page of an event before the sign-in, and what is done after it. */
import { type Client, claimItem, isProblem } from '@potluck/client';
import { type GivenAnswer, giveAnswer } from '#lib/server/event/give-answer.ts';
import { localPath, parsePath } from '#lib/server/local-path.ts';
import type { PageFields } from '#lib/server/read-fields.ts';

export type Intent = GivenAnswer & {
  eventId: string;
  /** An item to claim; null for the RSVP alone. */
  itemId: string | null;
  quantity: number;
  /** What exactly the person brings. A sign-in does not carry it. */
  note: string | null;
};

/** Reads the fields of a form, or the query of an address; null if they have no intent. */
export function readIntent(fields: PageFields): Intent | null {
  const eventId = fields.get('eventId');
  if (typeof eventId !== 'string' || eventId === '') return null;
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
});

/** The fields that `readIntent` reads. */
export const toFields = (intent: Intent): Record<string, string> => {
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
export const signInPath = (intent: Intent): string =>
  `/sign-in?${new URLSearchParams({ next: `/e/${intent.eventId}`, ...toFields(intent) })}`;

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

/** Gives the answer and claims the item. @throws ProblemError @throws PartlyDone */
export async function carryOut(client: Client, intent: Intent): Promise<void> {
  const { eventId, itemId, quantity, note } = intent;
  await giveAnswer(client, eventId, intent);
  if (itemId !== null) await claimItem({ client, path: { id: itemId }, body: { quantity, note } });
}

/** Claims an item. People who have not said that they are going say so with it. @throws ProblemError @throws PartlyDone */
export async function claimAsGuest(client: Client, intent: Intent & { itemId: string }): Promise<void> {
  const { itemId, quantity, note } = intent;
  try {
    await claimItem({ client, path: { id: itemId }, body: { quantity, note } });
  } catch (error) {
    if (!isProblem(error, 'rsvp_required')) throw error;
    await carryOut(client, intent);
  }
}

/** Adds a refused intent to the address of the page that explains it. */
export function withRefusal(path: string, code: string, { itemId, people, quantity }: Intent): string {
  const url = parsePath(path);
  url.searchParams.set('refused', code);
  if (itemId !== null) {
    url.searchParams.set('itemId', itemId);
    url.searchParams.set('quantity', String(quantity));
    url.hash = `item-${itemId}`;
  } else if (people !== null) url.searchParams.set('quantity', String(people));
  return url.pathname + url.search + url.hash;
}
