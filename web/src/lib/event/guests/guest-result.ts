import type { Item } from '@potluck/client';
import type { Status } from '#lib/event/guests/answer.ts';
import type { FormProblem } from '#lib/forms/form-problem.ts';

/** The outcome of a form of the page of an event. */
export type GuestResult = {
  /** The form: `rsvp`, `name`, `booking`, `save`, or the id of an item. */
  about: string;
  problem?: FormProblem;
  /** The quantity of an item, or the number of seats, that was entered. */
  quantity?: number;
  /** The note of the claim that was given back, to undo it; empty without one. */
  givenBack?: string;
  /** The item of the form as it is now: a page of a long list may not have it any more. */
  item?: Item;
  /** Whether details of the RSVP, the name or the note of a claim were saved. */
  isSaved?: boolean;
  /** Whether the RSVP was removed. */
  isRemoved?: boolean;
  /** The answer that waits until the visitor says what happens to their claims. */
  asksAboutClaims?: Status;
};
