/** What follows a sign-in: what the visitor chose before, then the page where the visitor was. */
import { type Client, getEvent, getMe, getUser, listItems, ProblemError } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { needsToAsk } from '#lib/event/guests/answer.ts';
import { asksAboutClaims } from '#lib/event/guests/server/claims-in-question.ts';
import { PartlyDone } from '#lib/event/guests/server/give-answer.ts';
import {
  carryOut,
  claimsInQuestion,
  type EventIntent,
  type Intent,
  readIntent,
  toFields,
  withDone,
  withRefusal,
} from '#lib/event/guests/server/intent.ts';
import { m } from '#lib/messages/index.js';
import { localPath } from '#lib/server/local-path.ts';
import type { PageFields } from '#lib/server/read-fields.ts';
import { hasGeneratedName } from '#lib/session/visitor.ts';

/**
 * What a page says and sends before the sign-in: it names what the address asks for before it does it. `hidden`: the fields of
 * the form that `goOn` reads.
 */
type Announced = { next: string; announcement: string | null; hidden: Record<string, string> };

/** @param query of the page of a sign-in */
export async function announce(client: Client, query: PageFields): Promise<Announced> {
  const intent = readIntent(query);
  const announcement = intent && (await describe(client, intent));
  return {
    next: localPath(query.get('next')),
    announcement,
    hidden: intent && announcement ? toFields(intent) : {},
  };
}

/**
 * Asks a new account for its name, because what follows may be public. Otherwise, it finishes the sign-in.
 * @throws always
 */
export async function goOn(client: Client, form: PageFields): Promise<never> {
  const intent = readIntent(form);
  if (await needsName(client)) redirect(303, namePath(localPath(form.get('next')), intent));
  return finish(client, form);
}

/** Whether the person is still called by the generated username. People who are suspended are not asked. */
export async function needsName(client: Client): Promise<boolean> {
  const me = await getMe({ client }).catch((error: unknown) => {
    if (error instanceof ProblemError) return null;
    throw error;
  });
  return me !== null && hasGeneratedName(me.data);
}

/** The address of the page that asks for the name, and then finishes the sign-in. */
export const namePath = (next: string, intent: Intent | null = null): string =>
  `/sign-in/name?${new URLSearchParams({ next, ...(intent && toFields(intent)) })}`;

/** Does what the visitor chose before, and opens the page where the visitor was. @throws always */
export async function finish(client: Client, form: PageFields): Promise<never> {
  const next = localPath(form.get('next'));
  const intent = readIntent(form);
  const refusal = intent && (await refusalOf(carryOutUnlessAsked(client, intent)));
  if (!intent) redirect(303, next);
  redirect(303, refusal ? withRefusal(next, refusal, intent) : withDone(next, intent));
}

/** Says what will be done after the sign-in; null if the visitor cannot do it. */
async function describe(client: Client, intent: Intent): Promise<string | null> {
  try {
    if ('follow' in intent) {
      const { data: person } = await getUser({ client, path: { id: intent.follow } });
      return m.people_intent_follow({ name: person.name });
    }
    if ('eventId' in intent) return await describeAnswer(client, intent);
    const { data: event } = await getEvent({ client, path: { id: intent.save } });
    return m.event_intent_save({ title: event.title });
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}

async function describeAnswer(
  client: Client,
  { eventId, rsvp, waitlist, itemId }: EventIntent,
): Promise<string | null> {
  const { data: event } = await getEvent({ client, path: { id: eventId } });
  const { title } = event;
  if (itemId === null && needsToAsk(event)) return m.event_intent_ask({ title });
  if (itemId === null && rsvp === 'interested') return m.event_intent_interested({ title });
  if (itemId === null) return waitlist ? m.event_intent_waitlist({ title }) : m.event_intent_going({ title });
  const { data: items } = await listItems({ client, path: { id: eventId } });
  const item = items.data.find(({ id }) => id === itemId);
  if (!item) return null;
  const say = item.kind === 'wish' ? m.event_intent_take : m.event_intent_bring;
  return say({ item: item.title, title });
}

/** @returns the code with which the page of the event asks about claims first; null if the intent is carried out */
async function carryOutUnlessAsked(client: Client, intent: Intent): Promise<string | null> {
  if ('eventId' in intent && (await asksAboutClaims(client, intent.eventId, intent.rsvp)))
    return claimsInQuestion;
  await carryOut(client, intent);
  return null;
}

/** The code of the problem; null if the work succeeds. */
async function refusalOf(work: Promise<string | null>): Promise<string | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ProblemError || error instanceof PartlyDone) return error.code;
    throw error;
  }
}
