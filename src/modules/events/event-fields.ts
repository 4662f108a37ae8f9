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
    stored: Type.String({ examples: ['Harbour potluck'] }),
    input: text(1, 140, { examples: ['Harbour potluck'] }),
    calendar: 'SUMMARY',
  }),
  description: field({
    stored: Type.String(),
    input: prose(10_000),
    default: '',
    calendar: 'DESCRIPTION',
  }),
  coverUrl: field({
    ...schemas.coverUrl,
    default: null,
  }),
  coverTheme: field({
    ...schemas.coverTheme,
    default: null,
    onlyInRecord: true,
  }),
  coverFocus: field({
    ...schemas.coverFocus,
    default: 'center',
  }),
  startAt: field({
    stored: instant,
    input: inputTime('RFC 3339 with any offset, in the years 1900 to 9999 in UTC.'),
    calendar: 'DTSTART',
    isAnnounced: true,
  }),
  endAt: field({
    ...schemas.endAt,
    calendar: 'DTEND',
    isAnnounced: true,
  }),
  allDay: field({
    ...schemas.allDay,
    default: false,
    calendar: 'DTSTART',
    isAnnounced: true,
  }),
  timezone: field({
    ...schemas.timezone,
    calendar: 'DTSTART',
  }),
  // Requests and responses have the next four as one object, `location`.
  address: field({
    stored: Type.String({ examples: ['Aker Brygge, Oslo'] }),
    input: text(1, 300, { examples: ['Aker Brygge, Oslo'] }),
    calendar: 'LOCATION',
    isAnnounced: true,
  }),
  lat: field({
    stored: Type.Number(),
    input: latitude,
    calendar: 'GEO',
    isAnnounced: true,
  }),
  lng: field({
    stored: Type.Number(),
    input: longitude,
    calendar: 'GEO',
    isAnnounced: true,
  }),
  isExact: field({
    ...schemas.isExact,
    default: true,
    calendar: 'GEO',
  }),
  locationKind: field({
    ...schemas.locationKind,
    default: 'place',
    calendar: 'LOCATION',
    isAnnounced: true,
  }),
  onlineUrl: field({
    ...schemas.onlineUrl,
    default: null,
    calendar: 'LOCATION',
    onlyInRecord: true,
  }),
  addressVisibility: field({
    ...schemas.addressVisibility,
    default: 'everyone',
    onlyInRecord: true,
  }),
  category: field({
    stored: Type.String({ description: 'A slug.', examples: ['food'] }),
    input: oneOf(categorySlugs, { examples: ['food'] }),
    response: ref(Category),
    calendar: 'CATEGORIES',
  }),
  template: field({
    stored: Type.String({ description: 'A slug.', examples: ['potluck'] }),
    input: oneOf(templateSlugs),
    response: ref(Template),
    default: 'general',
    onlyInRecord: true,
  }),
  price: field({
    select: 'e.price::float8 as price',
    ...schemas.price,
    default: 0,
  }),
  isPriceKnown: field(schemas.isPriceKnown),
  currency: field({
    stored: Type.String({ description: 'ISO 4217.', examples: ['EUR'] }),
    input: Type.String({ format: 'currency', pattern: currencyPattern, examples: ['EUR'] }),
    default: 'EUR',
  }),
  capacity: field({
    ...schemas.capacity,
    default: 0,
  }),
  visibility: field({
    ...schemas.visibility,
    default: 'public',
    inCopy: 'private',
    calendar: 'CLASS',
  }),
  status: field({
    stored: oneOf(statuses),
    input: oneOf(statuses),
    default: 'scheduled',
    inCopy: 'scheduled',
    calendar: 'STATUS',
  }),
  enabledModules: field({
    stored: Type.Array(Type.String({ examples: modules })),
    input: Type.Array(oneOf(modules), { uniqueItems: true, maxItems: modules.length }),
    default: [...modules],
    onlyInRecord: true,
  }),
  guestListVisibility: field({
    ...schemas.guestListVisibility,
    default: 'organizer',
    onlyInRecord: true,
  }),
  claimantVisibility: field({
    ...schemas.claimantVisibility,
    default: 'organizer',
    onlyInRecord: true,
  }),
  commentVisibility: field({
    ...schemas.commentVisibility,
    default: 'guests',
    onlyInRecord: true,
  }),
  rsvpUntil: field({
    ...schemas.rsvpUntil,
    default: null,
    inCopy: null,
    onlyInRecord: true,
  }),
  rsvpApproval: field({
    ...schemas.rsvpApproval,
    default: 'none',
    onlyInRecord: true,
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
