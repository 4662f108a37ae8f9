/** The fields of the form of an event. */
import type { CreateEventData, Event } from '@potluck/client';
import { categoryName } from '#lib/discovery/category-name.ts';
import { coverFocuses } from '#lib/event/form/cover-focuses.ts';
import { coverThemes } from '#lib/event/form/cover-themes.ts';
import { m } from '#lib/messages/index.js';

/** The steps of the form, in their order. */
export const steps = ['what', 'where', 'who'] as const;
export type FormStep = (typeof steps)[number];

type FormField = {
  label: () => string;
  /** The step that has the control. */
  step: FormStep;
  /** The text of an event, if the API takes what the form sends. Other fields are converted in event-form.ts. */
  plain?: (event: Event) => string;
  /** Whether the box of an event is checked. The API takes it as the form sends it. */
  box?: (event: Event) => boolean;
  /** The text in the form of a new event. Default: empty. */
  initial?: string;
  /** The name of a value that the visitor chooses from a list. */
  nameOf?: (value: string) => string;
};

type EventBody = CreateEventData['body'];
/** The names of the values of a field of the API. A value without a name does not compile. */
type Names<Value> = Record<Value & string, () => string>;

export const audiences: Names<EventBody['guestListVisibility']> = {
  organizer: m.organizer_audience_organizer,
  guests: m.organizer_audience_guests,
  everyone: m.organizer_audience_everyone,
};
export const commentAudiences: Names<EventBody['commentVisibility']> = {
  guests: m.organizer_audience_guests,
  everyone: m.organizer_audience_everyone,
};
export const visibilities: Names<EventBody['visibility']> = {
  public: m.organizer_visibility_public,
  unlisted: m.organizer_visibility_unlisted,
  private: m.organizer_visibility_private,
};
export const modules: Names<NonNullable<EventBody['enabledModules']>[number]> = {
  bringList: m.organizer_module_bring,
  wishList: m.organizer_module_wish,
  booking: m.organizer_module_booking,
  guestRsvp: m.organizer_module_guest_rsvp,
  comments: m.organizer_module_comments,
};

/** The name of a value that a form sends. Every object has properties such as `constructor`, which are no values. */
const choiceName = (names: Record<string, () => string>, value: string): string | undefined =>
  Object.hasOwn(names, value) ? names[value]?.() : undefined;

export const visibilityName = (value: string): string => choiceName(visibilities, value) ?? '';
export const approvals: Names<EventBody['rsvpApproval']> = {
  none: m.organizer_approval_none,
  organizer: m.organizer_approval_organizer,
};
export const placeKinds: Names<EventBody['locationKind']> = {
  place: m.organizer_place_known,
  later: m.place_later,
  online: m.online,
};
export const addressAudiences: Names<EventBody['addressVisibility']> = {
  everyone: m.organizer_audience_everyone,
  going: m.organizer_address_going,
};
const audienceName = (value: string) => choiceName(audiences, value) ?? '';

/** In the order of the form. */
export const eventFields = {
  title: { label: m.organizer_title, step: 'what', plain: (event) => event.title },
  category: {
    label: m.organizer_category,
    step: 'what',
    plain: (event) => event.category.slug,
    nameOf: (value) => value && categoryName(value),
  },
  description: { label: m.organizer_description, step: 'what', plain: (event) => event.description },
  locationKind: {
    label: m.organizer_place_kind,
    step: 'where',
    plain: (event) => event.locationKind,
    initial: 'place',
    nameOf: (value) => choiceName(placeKinds, value) ?? '',
  },
  address: { label: m.organizer_address, step: 'where' },
  onlineUrl: { label: m.organizer_online_url, step: 'where' },
  addressVisibility: {
    label: m.organizer_address_visibility,
    step: 'where',
    plain: (event) => event.addressVisibility,
    initial: 'everyone',
    nameOf: (value) => choiceName(addressAudiences, value) ?? '',
  },
  /** The exact spot. Empty: the middle of the town. */
  lat: { label: m.organizer_latitude, step: 'where' },
  lng: { label: m.organizer_longitude, step: 'where' },
  allDay: { label: m.organizer_all_day, step: 'what', box: (event) => event.allDay },
  startDate: { label: m.organizer_start_date, step: 'what' },
  startTime: { label: m.organizer_start_time, step: 'what', initial: '18:00' },
  /** Empty: the day of the start, or the next day if the event ends before the time of its start. */
  endDate: { label: m.organizer_end_date, step: 'what' },
  endTime: { label: m.organizer_end_time, step: 'what', initial: '22:00' },
  /** The address of an uploaded image; empty for the drawn cover. */
  coverUrl: { label: m.organizer_cover, step: 'what' },
  coverFocus: {
    label: m.organizer_cover_focus,
    step: 'what',
    plain: (event) => event.coverFocus,
    initial: 'center',
    nameOf: (value) => choiceName(coverFocuses, value) ?? '',
  },
  /** Empty: drawn by the id and the category. */
  coverTheme: {
    label: m.organizer_theme,
    step: 'what',
    nameOf: (value) => choiceName(coverThemes, value) ?? m.organizer_theme_automatic(),
  },
  /** Empty: unknown. */
  price: { label: m.organizer_price, step: 'who', initial: '0' },
  /** Empty: that of the place. */
  currency: { label: m.organizer_currency, step: 'who', plain: (event) => event.currency },
  capacity: { label: m.organizer_capacity, step: 'what' },
  modules: {
    label: m.organizer_modules,
    step: 'who',
    nameOf: (value) => choiceName(modules, value) ?? value,
  },
  visibility: {
    label: m.organizer_visibility,
    step: 'who',
    initial: 'public',
    nameOf: visibilityName,
  },
  guestListVisibility: {
    label: m.organizer_guest_list_visibility,
    step: 'who',
    plain: (event) => event.guestListVisibility,
    initial: 'guests',
    nameOf: audienceName,
  },
  claimantVisibility: {
    label: m.organizer_claimant_visibility,
    step: 'who',
    plain: (event) => event.claimantVisibility,
    initial: 'guests',
    nameOf: audienceName,
  },
  commentVisibility: {
    label: m.organizer_comment_visibility,
    step: 'who',
    plain: (event) => event.commentVisibility,
    initial: 'guests',
    nameOf: audienceName,
  },
  rsvpApproval: {
    label: m.organizer_approval,
    step: 'who',
    plain: (event) => event.rsvpApproval,
    initial: 'none',
    nameOf: (value) => choiceName(approvals, value) ?? '',
  },
  /** Empty: people answer until the event ends. */
  rsvpUntilDate: { label: m.organizer_rsvp_until, step: 'who' },
  /** Empty: until the end of that day, or of the event. */
  rsvpUntilTime: { label: m.organizer_rsvp_until_time, step: 'who' },
} satisfies Record<string, FormField>;

export type EventFieldName = keyof typeof eventFields;
type BoxFieldName = {
  [Name in EventFieldName]: (typeof eventFields)[Name] extends { box: unknown } ? Name : never;
}[EventFieldName];
type TextFieldName = Exclude<EventFieldName, BoxFieldName | 'modules'>;
export type FieldValues = Record<TextFieldName, string> & Record<BoxFieldName, boolean>;

export const fieldRows = Object.entries(eventFields) as [EventFieldName, FormField][];

/** What few people need, below a line of its own: its fields, as the form and as the API name them. */
const more = [
  'rsvpApproval',
  'rsvpUntilDate',
  'guestListVisibility',
  'claimantVisibility',
  'commentVisibility',
] as const;
const moreInApi: string[] = [...more, 'rsvpUntil', 'price', 'currency', 'enabledModules'];

/** Makes the values of the form, field by field. */
export const valuesOf = (
  textOf: (name: EventFieldName, field: FormField) => string,
  isChecked: (name: EventFieldName, field: FormField) => boolean,
) =>
  Object.fromEntries(
    fieldRows.map(([name, field]) => [name, field.box ? isChecked(name, field) : textOf(name, field)]),
  ) as FieldValues;

/** Whether an event has another value there than a new one, or an error. @param wrong the fields with an error */
export const isMoreUsed = (values: FieldValues, wrong: string[]): boolean =>
  more.some((name) => values[name] !== ((eventFields[name] as FormField).initial ?? '')) ||
  Number(values.price) > 0 ||
  wrong.some((path) => moreInApi.includes(path));

/** The steps of the fields that the API names otherwise. A field of the API that the form lacks does not compile. */
const otherSteps = {
  startAt: 'what',
  endAt: 'what',
  timezone: 'what',
  template: 'what',
  location: 'where',
  isPriceKnown: 'who',
  enabledModules: 'who',
  rsvpUntil: 'who',
} satisfies Record<Exclude<keyof EventBody, EventFieldName>, FormStep>;

const stepByName = new Map<string, FormStep>([
  ...Object.entries(otherSteps),
  ...fieldRows.map(([name, { step }]) => [name, step] as const),
]);

/** The step that has a field. @param path as the API names it, such as `location.lat`, or the name of a field of the form */
export const stepOf = (path: string): FormStep => stepByName.get(path.split('.', 1)[0] ?? '') ?? 'who';
