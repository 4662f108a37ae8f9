/**
 * The fields of an event that its organizer sets. A row of this table declares everything about a field; the type of
 * rows, the SQL of repo.ts, the schemas of requests, responses and the export, the defaults, copies, calendars and
 * notices follow from it. Rules that involve several fields are in event-rules.ts.
 */
import { type Static, Type } from 'typebox';
import {
  anyServerText,
  currencyPattern,
  httpUrl,
  latitude,
  longitude,
  nullable,
  oneOf,
  prose,
  ref,
  text,
} from '../../http/schemas.ts';
import { audiences } from './audience.ts';
import { categorySlugs, modules, templateSlugs } from './catalogue.ts';
import { Category, Template } from './catalogue-schemas.ts';
import { coverThemes } from './covers/themes.ts';
import { maxDays } from './event-length.ts';
import { type Field, field, inputTime, instant } from './field.ts';

const visibilities = ['public', 'unlisted', 'private'] as const;
const statuses = ['scheduled', 'cancelled'] as const;
const audienceText =
  '`organizer` (the default): the organizer and admins; `guests`: also people with an RSVP, booking, place in the ' +
  'waitlist or claim; `everyone`: all who can see the event.';
const focuses = [
  ...(['left-top', 'top', 'right-top'] as const),
  ...(['left', 'center', 'right'] as const),
  ...(['left-bottom', 'bottom', 'right-bottom'] as const),
];
const coverFocus = oneOf(focuses, {
  description: 'The part of an uploaded or linked image that stays visible where the image is cropped.',
  examples: ['top'],
});
const coverTheme = nullable(oneOf(coverThemes, { examples: ['gingham'] }), {
  description: 'The theme of the generated cover; null: the id and the category decide.',
});

/** In the order of the export and of responses. */
export const eventFields = {
  title: field({
    column: 'title',
    stored: Type.String({ examples: ['Harbour potluck'] }),
    input: text(1, 140, { examples: ['Harbour potluck'] }),
    inLists: true,
    calendar: 'SUMMARY',
  }),
  description: field({
    column: 'description',
    stored: Type.String(),
    input: prose(10_000),
    default: '',
    inLists: true,
    calendar: 'DESCRIPTION',
  }),
  coverUrl: field({
    column: 'cover_url',
    stored: nullable(Type.String(), { description: 'Null for the generated cover.' }),
    input: nullable(httpUrl(), {
      description: `Address of an image; null, or the address of a generated cover, for the generated cover. ${anyServerText}`,
    }),
    response: Type.String({ description: `Address of an image. ${anyServerText}` }),
    default: null,
    inLists: true,
  }),
  coverTheme: field({
    column: 'cover_theme',
    stored: coverTheme,
    input: coverTheme,
    default: null,
  }),
  coverFocus: field({
    column: 'cover_focus',
    stored: coverFocus,
    input: coverFocus,
    default: 'center',
    inLists: true,
  }),
  startAt: field({
    column: 'start_at',
    stored: instant,
    input: inputTime('RFC 3339 with any offset, in the years 1900 to 9999 in UTC.'),
    inLists: true,
    calendar: 'DTSTART',
    isAnnounced: true,
  }),
  endAt: field({
    column: 'end_at',
    stored: instant,
    input: inputTime(
      `After \`startAt\` and at most ${maxDays} days later, in the years 1900 to 9999 in UTC. An all-day event has at ` +
        `most ${maxDays} calendar days.`,
    ),
    inLists: true,
    calendar: 'DTEND',
    isAnnounced: true,
  }),
  allDay: field({
    column: 'all_day',
    stored: Type.Boolean(),
    input: Type.Boolean({
      description:
        'If true, `startAt` and `endAt` must be midnight in `timezone`; where a clock change skips midnight, the first ' +
        'instant of the day. For 5 and 6 June in Oslo: `2027-06-05T00:00:00+02:00` and `2027-06-07T00:00:00+02:00`. When ' +
        'only the zone changes, an all-day event keeps its dates. False for a new event if left out.',
      examples: [false],
    }),
    response: Type.Boolean({
      description:
        'Whether the event takes whole days: from the start of the day of `startAt` to the start of the day of `endAt` ' +
        'in `timezone`. Show dates only; the last day is the one before `endAt`.',
      examples: [false],
    }),
    default: false,
    inLists: true,
    calendar: 'DTSTART',
    isAnnounced: true,
  }),
  timezone: field({
    column: 'timezone',
    stored: Type.String({ examples: ['Europe/Oslo'] }),
    input: Type.String({
      format: 'time-zone',
      maxLength: 64,
      description:
        'IANA name, stored in the spelling of the IANA database. Default: the zone of the coordinates. When `location` ' +
        'changes, a zone that equals the zone of the old coordinates becomes the zone of the new ones; any other zone does ' +
        'not change.',
      examples: ['Europe/Oslo'],
    }),
    response: Type.String({
      description: 'The IANA time zone in which the times are meant.',
      examples: ['Europe/Oslo'],
    }),
    inLists: true,
    calendar: 'DTSTART',
  }),
  // Requests and responses have the next four as one object, `location`.
  address: field({
    column: 'address',
    stored: Type.String({ examples: ['Aker Brygge, Oslo'] }),
    input: text(1, 300, { examples: ['Aker Brygge, Oslo'] }),
    inLists: true,
    calendar: 'LOCATION',
    isAnnounced: true,
  }),
  lat: field({
    column: 'lat',
    stored: Type.Number(),
    input: latitude,
    inLists: true,
    calendar: 'GEO',
    isAnnounced: true,
  }),
  lng: field({
    column: 'lng',
    stored: Type.Number(),
    input: longitude,
    inLists: true,
    calendar: 'GEO',
    isAnnounced: true,
  }),
  isExact: field({
    column: 'is_exact',
    stored: Type.Boolean({ examples: [true] }),
    input: Type.Optional(
      Type.Boolean({
        description:
          'Whether the coordinates are those of the address. False: they are those of its town. True if left out, also ' +
          'when `location` changes.',
        examples: [true],
      }),
    ),
    response: Type.Boolean({
      description:
        'Whether the coordinates are those of the address. If false, they are those of its town: search maps for the ' +
        'address.',
      examples: [true],
    }),
    default: true,
    inLists: true,
    calendar: 'GEO',
  }),
  category: field({
    column: 'category',
    stored: Type.String({ description: 'A slug.', examples: ['food'] }),
    input: oneOf(categorySlugs, { examples: ['food'] }),
    response: ref(Category),
    inLists: true,
    calendar: 'CATEGORIES',
  }),
  template: field({
    column: 'template',
    stored: Type.String({ description: 'A slug.', examples: ['potluck'] }),
    input: oneOf(templateSlugs),
    response: ref(Template),
    default: 'general',
  }),
  price: field({
    column: 'price',
    select: 'e.price::float8 as price',
    stored: Type.Number(),
    input: Type.Unsafe<number>({
      type: 'number',
      minimum: 0,
      maximum: 1_000_000,
      'x-max-decimals': 2,
      description: 'At most two decimals.',
    }),
    response: Type.Number({
      description: 'In major units of `currency`; 0 is free if `isPriceKnown` is true.',
      examples: [0],
    }),
    default: 0,
    inLists: true,
  }),
  isPriceKnown: field({
    column: 'is_price_known',
    stored: Type.Boolean(),
    input: Type.Boolean({
      description:
        'Whether price 0 means free. If left out: true if the request has a `price`; otherwise false for a new event, ' +
        'and unchanged for an existing one. Must be true when the price is above 0.',
      examples: [true],
    }),
    response: Type.Boolean({
      description:
        'Whether `price` is known. If false, `price` is 0 and does not mean that the event is free.',
      examples: [true],
    }),
    inLists: true,
  }),
  currency: field({
    column: 'currency',
    stored: Type.String({ description: 'ISO 4217.', examples: ['EUR'] }),
    input: Type.String({ format: 'currency', pattern: currencyPattern, examples: ['EUR'] }),
    default: 'EUR',
    inLists: true,
  }),
  capacity: field({
    column: 'capacity',
    stored: Type.Integer({ description: '0 means no limit.' }),
    input: Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Seats that can be booked, at least as many as are booked; 0 means no limit.',
    }),
    response: Type.Integer({ examples: [0], description: 'Seats that can be booked; 0 means no limit.' }),
    default: 0,
    inLists: true,
  }),
  visibility: field({
    column: 'visibility',
    stored: oneOf(visibilities),
    input: oneOf(visibilities, {
      description:
        '`public`: in lists; `unlisted`: for people with the id; `private`: for the organizer and admins.',
    }),
    default: 'public',
    inCopy: 'private',
    inLists: true,
    calendar: 'CLASS',
  }),
  status: field({
    column: 'status',
    stored: oneOf(statuses),
    input: oneOf(statuses),
    default: 'scheduled',
    inCopy: 'scheduled',
    inLists: true,
    calendar: 'STATUS',
  }),
  enabledModules: field({
    column: 'enabled_modules',
    stored: Type.Array(Type.String({ examples: modules })),
    input: Type.Array(oneOf(modules), { uniqueItems: true, maxItems: modules.length }),
    default: [...modules],
  }),
  guestListVisibility: field({
    column: 'guest_list_visibility',
    stored: oneOf(audiences),
    input: oneOf(audiences, { description: `Who may list the guests: ${audienceText}` }),
    response: oneOf(audiences, { description: 'Who may list the guests.' }),
    default: 'organizer',
  }),
  claimantVisibility: field({
    column: 'claimant_visibility',
    stored: oneOf(audiences),
    input: oneOf(audiences, { description: `Who may see who brings which item: ${audienceText}` }),
    response: oneOf(audiences, { description: 'Who may see who brings which item.' }),
    default: 'organizer',
  }),
};

export type EventFieldName = keyof typeof eventFields;
/** The fields as a row has them. */
export type EventFields = {
  [Name in EventFieldName]: Static<(typeof eventFields)[Name]['stored']>;
};

/** The rows of the table, by name, without the types of their values. */
export const fieldRows = Object.entries(eventFields) as [EventFieldName, Field][];
/** The names of the fields, in the order in which versions of events contain them. */
export const fieldNames = fieldRows.map(([name]) => name);

export const namesOf = (isIncluded: (field: Field) => boolean): EventFieldName[] =>
  fieldRows.filter(([, field]) => isIncluded(field)).map(([name]) => name);

/** The values that fields have by themselves: those of a row's property, without the fields that lack it. */
export const valuesOf = (property: 'default' | 'inCopy'): Partial<EventFields> =>
  Object.fromEntries(
    fieldRows.filter(([, field]) => property in field).map(([name, field]) => [name, field[property]]),
  );
