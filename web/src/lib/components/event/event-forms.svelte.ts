/** The forms of the page of an event: one is sent at a time, and the page stays where it is. */
import { getContext, setContext, tick } from 'svelte';
import { m } from '#lib/paraglide/messages.js';
import type { SubmitFunction } from '$app/forms';
import { goto, invalidate } from '$app/navigation';
import type { GuestResult } from './guest-result.ts';

type Sending = {
  /** The form, as `GuestResult.about` names it. */
  about: string;
  /** Handles a submission in the page; returns true if nothing is to be sent. */
  intercept?: (input: Parameters<SubmitFunction>[0]) => boolean;
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

  constructor(isSignedIn: () => boolean, result: GuestResult | null) {
    this.#isSignedIn = isSignedIn;
    this.result = result;
  }

  /** The result of a form, if it is the latest. */
  resultOf(about: string): GuestResult | null {
    return this.result?.about === about ? this.result : null;
  }

  /** Sends a form for `use:enhance`. The focus and everything that is entered elsewhere stay. */
  send({ about, intercept, onResult }: Sending): SubmitFunction {
    return (input) => {
      const { cancel, formData, action } = input;
      if (this.busy !== null) return cancel();
      if (!this.#isSignedIn()) {
        this.intent = readFields(action, formData);
        return cancel();
      }
      if (intercept?.(input)) return cancel();
      this.busy = about;
      return async ({ result }) => {
        if (result.type === 'redirect') await goto(result.location, { refreshAll: true });
        else if (result.type === 'error') this.result = failure(about);
        else {
          // A refusal, too, is explained with the state that caused it.
          await this.refresh();
          this.result = (result.data ?? null) as GuestResult | null;
          await tick();
          if (this.result) onResult?.(this.result);
        }
        this.busy = null;
      };
    };
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

/** The fields that the sign-in carries out: those of the RSVP, or of the claim. */
function readFields(action: URL, form: FormData): Record<string, string> {
  const text = (name: string) => String(form.get(name) ?? '');
  const itemId = text('itemId');
  return {
    eventId: action.pathname.split('/').at(-1) ?? '',
    rsvp: text('status') || 'going',
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
