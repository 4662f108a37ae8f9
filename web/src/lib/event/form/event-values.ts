/** The values of the form of an event, as text: a form that was refused shows them again as they were entered. */

import type { FieldValues } from '#lib/event/form/event-fields.ts';
import type { FormProblem } from '#lib/forms/form-problem.ts';
import type { Box } from '#lib/map/mercator.ts';
import type { ChosenPlace } from '#lib/places/places.ts';

export type ItemValues = { title: string; kind: string; quantity: string; emoji: string };

/** The fields of the form (event-fields.ts), and what it keeps beside them. */
export type EventValues = FieldValues & {
  /** The chosen place as JSON (`ChosenPlace`), or empty. */
  place: string;
  /** The stored times of an existing event; empty for a new one. */
  startAt: string;
  endAt: string;
  modules: string[];
  template: string;
  /** The ETag of an existing event, as it was read; empty for a new one. */
  tag: string;
  /** The idempotency key of a new event. */
  key: string;
  items: ItemValues[];
  /** The name of an organizer who has none yet; empty for others. */
  organizerName: string;
  /** What the organizer writes to the guests about the change of an existing event. */
  message: string;
  /** Whether an event that becomes private invites those who have answered it. */
  inviteGuests: boolean;
  /** Which dates of a series the change concerns; empty for an event without a series. */
  scope: string;
};

/** A field of an event that another person has saved with another value. Values are texts in the visitor's language. */
export type EventConflict = { label: string; theirs: string; mine: string };

export type Option = { value: string; label: string };
/** What the form offers. */
export type EventOptions = {
  categories: Option[];
  currencies: Option[];
  /** The address of the streets of the map; null for a map without streets. */
  mapTiles: string | null;
  /** How streets are found. */
  streetSearch: 'none' | 'button' | 'typing';
  /** Where the map of a new event begins. `town` is empty if the events of this server are in several. */
  home: { box: Box; town: string };
};

/** What the form shows after a request. */
export type EventFormState = {
  values: EventValues;
  choices?: ChosenPlace[];
  problem?: FormProblem;
  /** The fields that another person has saved with other values since the form was opened. */
  conflict?: EventConflict[];
};
