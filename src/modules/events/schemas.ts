import { type Static, Type } from 'typebox';
import {
  body,
  currencyPattern,
  httpUrl,
  named,
  nullable,
  oneOf,
  PageMeta,
  prose,
  ref,
  text,
  timestamp,
} from '../../http/schemas.ts';
import { audiences } from './audience.ts';
import { categorySlugs, modules, templateSlugs } from './catalogue.ts';
import { maxDays } from './event-length.ts';

export const EventParams = Type.Object({
  id: Type.String({ description: "The event's id.", examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
});

export const latitude = Type.Number({ minimum: -90, maximum: 90, examples: [57.7089] });
export const longitude = Type.Number({ minimum: -180, maximum: 180, examples: [11.9746] });
/** For the description of each field whose image may be at any address. */
export const anyServerText =
  'It may be on any server, and a client that loads the image shows that server the address of its user. The pages of ' +
  'this server show no images of others.';
const visibilities = ['public', 'unlisted', 'private'] as const;
const statuses = ['scheduled', 'cancelled'] as const;

export const Category = named(
  'Category',
  Type.Object({
    slug: Type.String({ examples: ['food'] }),
    name: Type.String({ examples: ['Food & drink'] }),
    emoji: Type.String({ examples: ['🍲'] }),
  }),
);
export const Template = named(
  'Template',
  Type.Object({
    slug: Type.String({ examples: ['potluck'] }),
    name: Type.String({ examples: ['Potluck dinner'] }),
  }),
);

const listed = {
  id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
  title: Type.String({ examples: ['Harbour potluck'] }),
  description: Type.String(),
  coverUrl: Type.String({ description: `Address of an image. ${anyServerText}` }),
  startAt: timestamp(),
  endAt: timestamp(),
  allDay: Type.Boolean({
    description:
      'Whether the event takes whole days: from the start of the day of `startAt` to the start of the day of `endAt` ' +
      'in `timezone`. Show dates only; the last day is the one before `endAt`.',
    examples: [false],
  }),
  timezone: Type.String({
    description: 'The IANA time zone in which the times are meant.',
    examples: ['Europe/Oslo'],
  }),
  location: Type.Object({
    address: Type.String({ examples: ['Aker Brygge, Oslo'] }),
    lat: Type.Number(),
    lng: Type.Number(),
  }),
  category: ref(Category),
  price: Type.Number({
    description: 'In major units of `currency`; 0 is free if `isPriceKnown` is true.',
    examples: [0],
  }),
  isPriceKnown: Type.Boolean({
    description: 'Whether `price` is known. If false, `price` is 0 and does not mean that the event is free.',
    examples: [true],
  }),
  currency: Type.String({ description: 'ISO 4217.', examples: ['EUR'] }),
  capacity: Type.Integer({ examples: [0], description: 'Seats that can be booked; 0 means no limit.' }),
  rsvpCount: Type.Integer({
    examples: [14],
    description: 'Number of people with an RSVP, going or interested.',
  }),
  goingCount: Type.Integer({ examples: [9], description: 'Number of people with an RSVP of `going`.' }),
  partyCount: Type.Integer({
    examples: [12],
    description: 'Number of people who come: those with an RSVP of `going`, and their extra guests.',
  }),
  myRsvp: Type.Optional(
    nullable(oneOf(['going', 'interested']), { description: "The caller's RSVP; absent without a token." }),
  ),
  isSaved: Type.Optional(
    Type.Boolean({ description: 'Whether the caller saved the event; absent without a token.' }),
  ),
  visibility: oneOf(visibilities),
  status: oneOf(statuses),
  createdAt: timestamp(),
};

/** An event in lists (specification 2.4). */
export const ListedEvent = named(
  'ListedEvent',
  Type.Object({
    ...listed,
    distanceKm: Type.Optional(
      Type.Number({ description: 'Distance from `lat` and `lng` of the query; absent without them.' }),
    ),
  }),
);
export type ListedEvent = Static<typeof ListedEvent>;

const record = {
  ...listed,
  organizer: Type.Object({ id: Type.String(), name: Type.String(), avatar: Type.String() }),
  bookedCount: Type.Integer({ examples: [12], description: 'Number of booked seats.' }),
  template: ref(Template),
  enabledModules: Type.Array(Type.String({ examples: modules })),
  guestListVisibility: oneOf(audiences, { description: 'Who may list the guests.' }),
  claimantVisibility: oneOf(audiences, { description: 'Who may see who brings which item.' }),
  updatedAt: timestamp(),
};
/** The record without the fields that differ between callers. */
export const CommonEvent = Type.Object(record);
export type CommonEvent = Static<typeof CommonEvent>;

const seats = { id: Type.String(), seats: Type.Integer({ examples: [2] }) };

/** The record of an event (specification 2.5). */
export const Event = named(
  'Event',
  Type.Object({
    ...record,
    myBooking: nullable(Type.Object({ ...seats, createdAt: timestamp() }), {
      description: "The caller's booking; null without one, and without a token.",
    }),
    myWaitlist: nullable(
      Type.Object({
        ...seats,
        position: Type.Integer({ minimum: 1, examples: [3] }),
        createdAt: timestamp(),
      }),
      { description: "The caller's place in the waitlist; null without one, and without a token." },
    ),
    myExtraGuests: Type.Optional(
      Type.Integer({
        examples: [2],
        description: 'People whom the caller brings; 0 without an RSVP, absent without a token.',
      }),
    ),
    isRsvpHidden: Type.Optional(
      Type.Boolean({
        description: "Whether the caller's RSVP is hidden from other people; absent without a token.",
      }),
    ),
  }),
);
export type Event = Static<typeof Event>;

export const EventPage = named(
  'EventPage',
  Type.Object({ data: Type.Array(ref(ListedEvent)), meta: ref(PageMeta) }),
);

const inputTime = (description: string) =>
  Type.String({ format: 'timestamp', description, examples: ['2026-12-24T18:00:00+01:00'] });

const audienceText =
  '`organizer` (the default): the organizer and admins; `guests`: also people with an RSVP, booking, place in the ' +
  'waitlist or claim; `everyone`: all who can see the event.';

const fields = {
  title: text(1, 140, { examples: ['Harbour potluck'] }),
  description: prose(10_000),
  coverUrl: nullable(httpUrl(), {
    description: `Address of an image; null, or the address of a generated cover, for the generated cover. ${anyServerText}`,
  }),
  startAt: inputTime('RFC 3339 with any offset, in the years 1900 to 9999 in UTC.'),
  endAt: inputTime(
    `After \`startAt\` and at most ${maxDays} days later, in the years 1900 to 9999 in UTC. An all-day event has at ` +
      `most ${maxDays} calendar days.`,
  ),
  timezone: Type.String({
    format: 'time-zone',
    maxLength: 64,
    description:
      'IANA name, stored in the spelling of the IANA database. Default: the zone of the coordinates. When `location` ' +
      'changes, a zone that equals the zone of the old coordinates becomes the zone of the new ones; any other zone does ' +
      'not change.',
    examples: ['Europe/Oslo'],
  }),
  allDay: Type.Boolean({
    description:
      'If true, `startAt` and `endAt` must be midnight in `timezone`; where a clock change skips midnight, the first ' +
      'instant of the day. For 5 and 6 June in Oslo: `2027-06-05T00:00:00+02:00` and `2027-06-07T00:00:00+02:00`. When ' +
      'only the zone changes, an all-day event keeps its dates. False for a new event if left out.',
    examples: [false],
  }),
  location: body({
    address: text(1, 300, { examples: ['Aker Brygge, Oslo'] }),
    lat: latitude,
    lng: longitude,
  }),
  category: oneOf(categorySlugs, { examples: ['food'] }),
  price: Type.Unsafe<number>({
    type: 'number',
    minimum: 0,
    maximum: 1_000_000,
    'x-max-decimals': 2,
    description: 'At most two decimals.',
  }),
  isPriceKnown: Type.Boolean({
    description:
      'Whether price 0 means free. If left out: true if the request has a `price`; otherwise false for a new event, ' +
      'and unchanged for an existing one. Must be true when the price is above 0.',
    examples: [true],
  }),
  currency: Type.String({ format: 'currency', pattern: currencyPattern, examples: ['EUR'] }),
  capacity: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'Seats that can be booked, at least as many as are booked; 0 means no limit.',
  }),
  visibility: oneOf(visibilities, {
    description:
      '`public`: in lists; `unlisted`: for people with the id; `private`: for the organizer and admins.',
  }),
  template: oneOf(templateSlugs),
  enabledModules: Type.Array(oneOf(modules), { uniqueItems: true, maxItems: modules.length }),
  guestListVisibility: oneOf(audiences, { description: `Who may list the guests: ${audienceText}` }),
  claimantVisibility: oneOf(audiences, { description: `Who may see who brings which item: ${audienceText}` }),
};

export const NewEvent = body(
  {
    title: fields.title,
    startAt: fields.startAt,
    endAt: fields.endAt,
    location: fields.location,
    category: fields.category,
    description: Type.Optional(fields.description),
    coverUrl: Type.Optional(fields.coverUrl),
    timezone: Type.Optional(fields.timezone),
    allDay: Type.Optional(fields.allDay),
    price: Type.Optional(fields.price),
    isPriceKnown: Type.Optional(fields.isPriceKnown),
    currency: Type.Optional(fields.currency),
    capacity: Type.Optional(fields.capacity),
    visibility: Type.Optional(fields.visibility),
    template: Type.Optional(fields.template),
    enabledModules: Type.Optional(fields.enabledModules),
    guestListVisibility: Type.Optional(fields.guestListVisibility),
    claimantVisibility: Type.Optional(fields.claimantVisibility),
  },
  {
    examples: [
      {
        title: 'Harbour potluck',
        startAt: '2026-12-24T18:00:00+01:00',
        endAt: '2026-12-24T23:00:00+01:00',
        location: { address: 'Aker Brygge, Oslo', lat: 59.9106, lng: 10.7291 },
        category: 'food',
        template: 'potluck',
      },
    ],
  },
);
export type NewEvent = Static<typeof NewEvent>;

export const EventCopy = body(
  {
    startAt: fields.startAt,
    endAt: Type.Optional(
      inputTime(
        `After \`startAt\` and at most ${maxDays} days later, in the years 1900 to 9999 in UTC. If left out, the copy ` +
          'lasts as long as the event: an all-day event the same number of days, any other event the same time. ' +
          'Required if the event lasts longer than a new event may.',
      ),
    ),
  },
  { examples: [{ startAt: '2027-12-24T18:00:00+01:00' }] },
);
export type EventCopy = Static<typeof EventCopy>;

export const EventChange = Type.Partial(body({ ...fields, status: oneOf(statuses) }), {
  additionalProperties: false,
  examples: [{ title: 'Harbour potluck, now indoors' }],
});
export type EventChange = Static<typeof EventChange>;
