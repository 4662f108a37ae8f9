import type { FormProblem } from '#lib/forms/form-problem.ts';

/** The outcome of a form of the page of an event. */
export type GuestResult = {
  /** The form: `rsvp`, `name`, `booking`, `save`, or the id of an item. */
  about: string;
  problem?: FormProblem;
  /** The quantity of an item, or the number of seats, that was entered. */
  quantity?: number;
  /** The quantity that was given back, to undo it. */
  givenBack?: number;
  /** Whether details of the RSVP or the name were saved. */
  isSaved?: boolean;
  /** Whether the RSVP was removed. */
  isRemoved?: boolean;
  /** Whether to ask what happens to the claims of a person who cannot go. */
  asksAboutClaims?: boolean;
};
