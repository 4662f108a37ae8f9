/**
 * The fields of an event that its organizer sets. A row of this table declares everything about a field; the type of
 * rows, the SQL of repo.ts, the schemas of requests, responses and the export, the defaults, copies, calendars and
 * notices follow from it. Schemas with long texts are in field-schemas.ts, rules that involve several fields in
 * event-rules.ts.
 */
import { type Static, Type } from 'typebox';
import { currencyPattern, latitude, longitude, oneOf, prose, ref, text } from '../../http/schemas.ts';
import { categorySlugs, modules, templateSlugs } from './catalogue.ts';
import { Category, Template } from './catalogue-schemas.ts';
import { type Field, field, inputTime, instant } from './field.ts';
import * as schemas from './field-schemas.ts';

const statuses = ['scheduled', 'cancelled'] as const;

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
    ...schemas.coverUrl,
    default: null,
    inLists: true,
  }),
  coverTheme: field({
    column: 'cover_theme',
    ...schemas.coverTheme,
    default: null,
  }),
  coverFocus: field({
    column: 'cover_focus',
    ...schemas.coverFocus,
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
    ...schemas.endAt,
    inLists: true,
    calendar: 'DTEND',
    isAnnounced: true,
  }),
  allDay: field({
    column: 'all_day',
    ...schemas.allDay,
    default: false,
    inLists: true,
    calendar: 'DTSTART',
    isAnnounced: true,
  }),
  timezone: field({
    column: 'timezone',
    ...schemas.timezone,
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
    ...schemas.isExact,
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
    ...schemas.price,
    default: 0,
    inLists: true,
  }),
  isPriceKnown: field({
    column: 'is_price_known',
    ...schemas.isPriceKnown,
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
    ...schemas.capacity,
    default: 0,
    inLists: true,
  }),
  visibility: field({
    column: 'visibility',
    ...schemas.visibility,
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
    ...schemas.guestListVisibility,
    default: 'organizer',
  }),
  claimantVisibility: field({
    column: 'claimant_visibility',
    ...schemas.claimantVisibility,
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
