/** The fields of the form of an event. */
import type { Event } from '@potluck/client';
import { categoryName } from '#lib/discovery/category-name.ts';
import { coverFocuses } from '#lib/event/form/cover-focuses.ts';
import { coverThemes } from '#lib/event/form/cover-themes.ts';
import { m } from '#lib/messages/index.js';

type FormField = {
  label: () => string;
  /** The text of an event, if the API takes what the form sends. Other fields are converted in event-form.ts. */
  plain?: (event: Event) => string;
  /** The text in the form of a new event. Default: empty. */
  initial?: string;
  /** The name of a value that the visitor chooses from a list. */
  nameOf?: (value: string) => string;
};

const audiences: Record<string, () => string> = {
  organizer: m.organizer_audience_organizer,
  guests: m.organizer_audience_guests,
  everyone: m.organizer_audience_everyone,
};
const visibilities: Record<string, () => string> = {
  public: m.organizer_visibility_public,
  unlisted: m.organizer_visibility_unlisted,
  private: m.organizer_visibility_private,
};
const modules: Record<string, () => string> = {
  bringList: m.organizer_module_bring,
  wishList: m.organizer_module_wish,
  booking: m.organizer_module_booking,
  guestRsvp: m.organizer_module_guest_rsvp,
};

/** The name of a value that a form sends. Every object has properties such as `constructor`, which are no values. */
const choiceName = (names: Record<string, () => string>, value: string): string | undefined =>
  Object.hasOwn(names, value) ? names[value]?.() : undefined;

export const visibilityName = (value: string): string => choiceName(visibilities, value) ?? '';
const audienceName = (value: string) => choiceName(audiences, value) ?? '';

/** In the order of the form. */
export const eventFields = {
  title: { label: m.organizer_title, plain: (event) => event.title },
  category: {
    label: m.organizer_category,
    plain: (event) => event.category.slug,
    nameOf: (value) => value && categoryName(value),
  },
  description: { label: m.organizer_description, plain: (event) => event.description },
  address: { label: m.organizer_address },
  /** The exact spot. Empty: the middle of the town. */
  lat: { label: m.organizer_latitude },
  lng: { label: m.organizer_longitude },
  allDay: { label: m.organizer_all_day },
  startDate: { label: m.organizer_start_date },
  startTime: { label: m.organizer_start_time, initial: '18:00' },
  /** Empty: the day of the start, or the next day if the event ends before the time of its start. */
  endDate: { label: m.organizer_end_date },
  endTime: { label: m.organizer_end_time, initial: '22:00' },
  /** The address of an uploaded image; empty for the drawn cover. */
  coverUrl: { label: m.organizer_cover },
  coverFocus: {
    label: m.organizer_cover_focus,
    plain: (event) => event.coverFocus,
    initial: 'center',
    nameOf: (value) => choiceName(coverFocuses, value) ?? '',
  },
  /** Empty: drawn by the id and the category. */
  coverTheme: {
    label: m.organizer_theme,
    nameOf: (value) => choiceName(coverThemes, value) ?? m.organizer_theme_automatic(),
  },
  /** Empty: unknown. */
  price: { label: m.organizer_price, initial: '0' },
  /** Empty: that of the place. */
  currency: { label: m.organizer_currency, plain: (event) => event.currency },
  capacity: { label: m.organizer_capacity },
  modules: { label: m.organizer_modules, nameOf: (value) => choiceName(modules, value) ?? value },
  visibility: {
    label: m.organizer_visibility,
    initial: 'public',
    nameOf: visibilityName,
  },
  guestListVisibility: {
    label: m.organizer_guest_list_visibility,
    plain: (event) => event.guestListVisibility,
    initial: 'guests',
    nameOf: audienceName,
  },
  claimantVisibility: {
    label: m.organizer_claimant_visibility,
    plain: (event) => event.claimantVisibility,
    initial: 'guests',
    nameOf: audienceName,
  },
} satisfies Record<string, FormField>;

export type EventFieldName = keyof typeof eventFields;
export type TextFieldName = Exclude<EventFieldName, 'allDay' | 'modules'>;

export const fieldRows = Object.entries(eventFields) as [EventFieldName, FormField][];

/** Makes the texts of the form, field by field. */
export const textsOf = (textOf: (name: EventFieldName, field: FormField) => string) =>
  Object.fromEntries(fieldRows.map(([name, field]) => [name, textOf(name, field)])) as Record<
    TextFieldName,
    string
  >;
