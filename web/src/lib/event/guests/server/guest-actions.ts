/** The forms of the page of an event. */
import {
  type Client,
  changeClaim,
  type Item,
  isProblem,
  listItems,
  ProblemError,
  saveEvent,
  setRsvp,
  unclaimItem,
  updateMe,
} from '@potluck/client';
import { type ActionFailure, type Actions, fail, type RequestEvent, redirect } from '@sveltejs/kit';
import type { Status } from '#lib/event/guests/answer.ts';
import type { GuestResult } from '#lib/event/guests/guest-result.ts';
import { namePath } from '#lib/event/guests/server/after-sign-in.ts';
import { asksAboutClaims, listClaimed } from '#lib/event/guests/server/claims-in-question.ts';
import { giveAnswer, PartlyDone, takeAnswerBack } from '#lib/event/guests/server/give-answer.ts';
import { claimAsGuest, type EventIntent, readAnswer, signInPath } from '#lib/event/guests/server/intent.ts';
import { problemText, toFormProblem } from '#lib/server/problems.ts';
import { type PageFields, readForm } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import { hasGeneratedName } from '#lib/session/visitor.ts';

type Page = RequestEvent<{ id: string }>;
type Outcome = Promise<GuestResult | ActionFailure<GuestResult>>;

export const guestActions = {
  /**
   * Sets the RSVP, and takes the seats of an event that has seats; `none` takes both back. People who step back and bring
   * something are asked first whether they still do.
   */
  rsvp: async (page: Page): Outcome => {
    const { id } = page.params;
    const form = await readForm(page);
    const answer = form.text('status') === 'none' ? null : readAnswer(form, 'status');
    const entered = answer ? answer.people !== null && { quantity: answer.people } : { isRemoved: true };
    const result: GuestResult = { about: 'rsvp', ...entered };
    if (answer) askForName(page, intentOf(page, answer));
    return attempt(page, form, answer && intentOf(page, answer), result, async (client) => {
      const status = answer?.rsvp ?? 'none';
      const claims = form.text('claims');
      const isSettled = await settleClaims(client, id, status, claims);
      if (!isSettled) return { about: 'rsvp', asksAboutClaims: status };
      return answer
        ? giveAnswer(client, id, answer)
        : takeAnswerBack(client, id, { declines: claims !== 'keep' });
    });
  },

  /** Hides the RSVP from other people, or shows it. */
  hide: async (page: Page): Outcome => {
    const form = await readForm(page);
    const status = form.text('status') === 'interested' ? 'interested' : 'going';
    const body = { status, isHidden: form.has('isHidden') } as const;
    return attempt(page, form, null, { about: 'rsvp', isSaved: true }, (client) =>
      setRsvp({ client, path: page.params, body }),
    );
  },

  /** Claims an item, or changes the quantity of the visitor's claim; none gives it back. */
  claim: async (page: Page): Outcome => {
    const form = await readForm(page);
    const itemId = form.text('itemId');
    const quantity = Number(form.text('quantity')) + Number(form.text('by'));
    const note = form.text('note');
    const path = { id: itemId };
    if (form.has('isMine') && quantity === 0)
      return attempt(page, form, intentOf(page), { about: itemId, givenBack: note }, (client) =>
        unclaimItem({ client, path }),
      );
    const intent = { ...intentOf(page), itemId, quantity, note: note || null };
    if (!form.has('isMine')) askForName(page, intent);
    return attempt(page, form, intent, { about: itemId, quantity }, (client) =>
      form.has('isMine') ? changeClaim({ client, path, body: { quantity } }) : claimAsGuest(client, intent),
    );
  },

  /** Says what exactly the visitor brings. */
  note: async (page: Page): Outcome => {
    const form = await readForm(page);
    const itemId = form.text('itemId');
    const note = form.text('note') || null;
    return attempt(page, form, intentOf(page), { about: itemId, isSaved: true }, (client) =>
      changeClaim({ client, path: { id: itemId }, body: { note } }),
    );
  },

  name: async (page: Page): Outcome => {
    const form = await readForm(page);
    const name = form.text('name');
    return attempt(page, form, intentOf(page), { about: 'name', isSaved: true }, (client) =>
      updateMe({ client, body: { name } }),
    );
  },

  save: async (page: Page): Outcome => {
    const form = await readForm(page);
    const saved = form.text('saved') === 'true';
    const intent = saved ? { save: page.params.id } : null;
    return attempt(page, form, intent, { about: 'save' }, (client) =>
      saveEvent({ client, path: page.params, body: { saved } }),
    );
  },
} satisfies Actions<{ id: string }>;

const intentOf = ({ params }: Page, answer: Partial<EventIntent> = {}): EventIntent => ({
  eventId: params.id,
  rsvp: 'going',
  people: null,
  waitlist: false,
  itemId: null,
  quantity: 1,
  note: null,
  ...answer,
});

/** Asks people who have closed the question of the sign-in what they are called, before others see them as guests. */
function askForName({ locals: { me }, params }: Page, intent: EventIntent): void {
  if (me && hasGeneratedName(me)) redirect(303, namePath(`/e/${params.id}`, intent));
}

/**
 * Does what a form asks for.
 * @param intent what a visitor who is signed out gets done after the sign-in; null to return to the page alone
 * @param result of the form, unless `work` returns another one
 */
async function attempt(
  { locals, params }: Page,
  form: PageFields,
  intent: EventIntent | { save: string } | null,
  result: GuestResult,
  work: (client: Client) => Promise<unknown>,
): Outcome {
  // Visitors return to the event, and not to the address of the form.
  const signIn = () =>
    intent
      ? redirect(303, signInPath(intent))
      : requireMe({ ...locals, me: null }, { pathname: `/e/${params.id}`, search: '' });
  if (!locals.me) signIn();
  if (form.problem) return fail(400, { about: result.about, problem: form.problem });
  try {
    const other = await work(locals.api);
    return isResult(other) ? other : { ...result, ...(await readItem(locals.api, params.id, result)) };
  } catch (error) {
    const cause = error instanceof PartlyDone ? error.cause : error;
    // The session has ended since the page was requested.
    if (isProblem(cause, 'token_missing', 'token_invalid')) signIn();
    const { about, quantity } = result;
    const item = await readItem(locals.api, params.id, result);
    const entered = { about, ...(quantity !== undefined && { quantity }), ...item };
    if (error instanceof PartlyDone) {
      const problem = { code: error.code, message: problemText(error.code), fields: {} };
      return fail(error.cause.status, { ...entered, problem });
    }
    if (!(error instanceof ProblemError)) throw error;
    return fail(error.status, { ...entered, problem: toFormProblem(error) });
  }
}

/** The item that a form is about; nothing for other forms, and if it cannot be read. */
async function readItem(client: Client, id: string, { about }: GuestResult): Promise<{ item?: Item }> {
  if (!about.startsWith(`${id}.`)) return {};
  const list = await listItems({ client, path: { id } }).catch(() => null);
  const item = list?.data.data.find((each) => each.id === about);
  return item ? { item } : {};
}

const isResult = (value: unknown): value is GuestResult =>
  typeof value === 'object' && value !== null && 'about' in value;

/**
 * Gives back what the visitor claimed, if that is their choice.
 * @param choice `release`, `keep`, or empty if the visitor has not been asked
 * @returns false if the visitor is to be asked
 */
async function settleClaims(client: Client, id: string, status: Status, choice: string): Promise<boolean> {
  if (status === 'going' || choice === 'keep') return true;
  if (choice !== 'release') return !(await asksAboutClaims(client, id, status));
  for (const itemId of await listClaimed(client, id)) await release(client, itemId);
  return true;
}

async function release(client: Client, itemId: string): Promise<void> {
  try {
    await unclaimItem({ client, path: { id: itemId } });
  } catch (error) {
    // Given back in another tab, or removed from the list.
    if (!isProblem(error, 'claim_not_found', 'item_not_found')) throw error;
  }
}
