/**
 * The forms of the page of an event: they are sent one after another, in the order of the presses, and the page stays
 * where it is.
 */
import { getContext, setContext, tick } from 'svelte';
import type { GuestResult } from '#lib/event/guests/guest-result.ts';
import { enhance } from '#lib/forms/enhance.ts';
import { createTurns } from '#lib/forms/turns.ts';
import { m } from '#lib/messages/index.js';
import type { ActionResult, SubmitFunction } from '$app/forms';
import { goto, invalidate } from '$app/navigation';

type Submission = Parameters<SubmitFunction>[0];

type Sending = {
  /** The form, as `GuestResult.about` names it. */
  about: string;
  /** Is called at each press, also while earlier ones are sent. Otherwise, another press of a busy button is ignored. */
  onPress?: (form: FormData) => void;
  /** Is called when the form of a press is not being sent any more. */
  onEnd?: () => void;
  /** Handles a submission in the page; returns true if nothing is to be sent. */
  intercept?: (input: Submission) => boolean;
  /** Is called when the page shows the result. */
  onResult?: (result: GuestResult) => void;
};

export class EventForms {
  /** The result of the latest form. */
  result = $state.raw<GuestResult | null>(null);
  /** The form that is being sent. */
  busy = $state<string | null>(null);
  /** What a visitor who is signed out wants to do: fields for the sign-in. */
  intent = $state.raw<Record<string, string> | null>(null);
  /** The latest change, for screen readers. */
  announcement = $state('');

  /** Loads the data of the page again. Resolves when the page has data that are newer than the call. */
  readonly refresh = oneAfterAnother(() => invalidate('app:event'));

  readonly #isSignedIn: () => boolean;
  readonly #nextTurn = createTurns();

  constructor(isSignedIn: () => boolean, result: GuestResult | null) {
    this.#isSignedIn = isSignedIn;
    this.result = result;
  }

  /** The result of a form, if it is the latest. */
  resultOf(about: string): GuestResult | null {
    return this.result?.about === about ? this.result : null;
  }

  /**
   * Returns an action for `use:`. It sends a form after those that were pressed before. The focus and everything that
   * is entered elsewhere stay.
   */
  sender({ about, onPress, onEnd, intercept, onResult }: Sending) {
    const submit: SubmitFunction = async (input) => {
      onPress?.(input.formData);
      const endTurn = await this.#nextTurn();
      if (this.#handle(input, intercept)) {
        onEnd?.();
        endTurn();
        return input.cancel();
      }
      this.busy = about;
      return async ({ result }) => {
        try {
          await this.#show(about, result, onResult);
        } finally {
          this.busy = null;
          onEnd?.();
          endTurn();
        }
      };
    };
    return (form: HTMLFormElement) => enhance(form, submit, { repeats: onPress !== undefined });
  }

  /** Handles a submission in the page; returns true if nothing is to be sent. */
  #handle(input: Submission, intercept: Sending['intercept']): boolean {
    if (this.#isSignedIn()) return intercept?.(input) ?? false;
    this.intent = readFields(input.action, input.formData);
    return true;
  }

  async #show(about: string, result: ActionResult, onResult: Sending['onResult']): Promise<void> {
    if (result.type === 'redirect') return goto(result.location, { refreshAll: true });
    if (result.type === 'error') {
      this.result = failure(about);
      return;
    }
    // A refusal, too, is explained with the state that caused it.
    await this.refresh();
    this.result = (result.data ?? null) as GuestResult | null;
    await tick();
    if (this.result) onResult?.(this.result);
  }
}

/**
 * Calls while `work` runs share one run after it. SvelteKit drops an invalidation as soon as another one begins,
 * and resolves it without new data.
 */
function oneAfterAnother(work: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let queued: Promise<void> | null = null;
  return () => {
    queued ??= last = last
      .then(() => {
        queued = null;
        return work();
      })
      .catch(() => {});
    return queued;
  };
}

/** The fields that the sign-in carries out: those of the RSVP, of the claim, or of saving the event. */
function readFields(action: URL, form: FormData): Record<string, string> {
  const text = (name: string) => String(form.get(name) ?? '');
  const eventId = action.pathname.split('/').at(-1) ?? '';
  if (form.has('saved')) return { save: eventId };
  const [itemId, people, waitlist] = ['itemId', 'people', 'waitlist'].map(text);
  return {
    eventId,
    rsvp: text('status') || 'going',
    ...(people && { people }),
    ...(waitlist && { waitlist }),
    ...(itemId && { itemId, quantity: text('quantity') }),
  };
}

const failure = (about: string): GuestResult => ({
  about,
  problem: { code: 'other', message: m.problem_other(), fields: {} },
});

const key = Symbol('event forms');

export const provideForms = (forms: EventForms): EventForms => setContext(key, forms);
export const useForms = (): EventForms => getContext<EventForms>(key);
