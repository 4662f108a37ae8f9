/** The schemas of events in requests and responses. The fields that organizers set come from event-fields.ts. */
import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import {
  body,
  named,
  nullable,
  oneOf,
  PageMeta,
  prose,
  ref,
  seenPattern,
  timestamp,
} from '../../http/schemas.ts';
import { Person } from '../people/schemas.ts';
import type { Category, Template } from './catalogue-schemas.ts';
import { type EventFields, fieldRows } from './event-fields.ts';
import { maxDays } from './event-length.ts';
import { type Field, inputTime } from './field.ts';
import { scopes } from './series/scopes.ts';
import { tombstoneReasons } from './tombstones.ts';

export const EventParams = Type.Object({
  id: Type.String({ description: "The event's id.", examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
});

export const SeriesParams = Type.Object({
  id: Type.String({
    description: 'The id of the series.',
    examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f1'],
  }),
});

const partsOfLocation = ['address', 'lat', 'lng', 'isExact'] as const;
type Place = (typeof partsOfLocation)[number];
export type Location = Pick<EventFields, Place>;
/** The fields in requests. */
type EventInput = Omit<EventFields, 'startAt' | 'endAt' | 'rsvpUntil' | Place> & {
  startAt: string;
  endAt: string;
  rsvpUntil: string | null;
  location: Omit<Location, 'isExact'> & Partial<Location>;
};
/** The fields in responses. */
type EventOutput = Omit<EventFields, Place | 'coverUrl' | 'category' | 'template'> & {
  location: Location;
  coverUrl: string;
  category: Static<typeof Category>;
  template: Static<typeof Template>;
};
type Schemas<Body> = { [Name in keyof Body]: TUnsafe<Body[Name]> };

/** The schemas of fields by name, with `location` in the place of its parts. */
function schemasOf(
  rows: typeof fieldRows,
  schemaOf: (field: Field) => TSchema,
  objectOf: (parts: Record<string, TSchema>) => TSchema,
): Record<string, TSchema> {
  const isPart = (name: string) => partsOfLocation.some((part) => part === name);
  const parts = rows.filter(([name]) => isPart(name)).map(([name, field]) => [name, schemaOf(field)]);
  const location = objectOf(Object.fromEntries(parts));
  return Object.fromEntries(
    rows
      .filter(([name]) => name === 'address' || !isPart(name))
      .map(([name, field]) => (name === 'address' ? ['location', location] : [name, schemaOf(field)])),
  );
}

const responsesOf = (rows: typeof fieldRows) =>
  schemasOf(rows, ({ response, stored }) => response ?? stored, Type.Object);

const output = responsesOf(fieldRows) as Schemas<EventOutput>;
/** Where an event is (specification 2.4). */
export const EventLocation = output.location;
const listed = {
  id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
  ...responsesOf(fieldRows.filter(([, { onlyInRecord }]) => !onlyInRecord)),
  series: nullable(
    Type.Object({
      id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f1'] }),
      date: Type.String({
        examples: ['2026-12-01T18:00'],
        description:
          'The local start that the rule of the series gives; of an all-day event, the day. It identifies the occurrence.',
      }),
      isChanged: Type.Boolean({ description: 'Whether a field was changed for this occurrence alone.' }),
    }),
    { description: 'The series of which the event is an occurrence; null for an event without a series.' },
  ),
  hasOnlineUrl: Type.Boolean({ examples: [false], description: 'Whether the event has an `onlineUrl`.' }),
  isAddressHidden: Type.Boolean({
    examples: [false],
    description:
      'In lists: whether `location` is not the exact place. In the record: whether the caller may not read the exact place.',
  }),
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
  createdAt: timestamp(),
  updatedAt: timestamp({
    description:
      'The time of the last change by the organizer or an admin. RSVPs, and other counts, are no changes.',
  }),
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
  // Those of lists stay in their places.
  ...output,
};
/** The record without the fields that differ between callers. */
export const CommonEvent = Type.Object(record);
export type CommonEvent = Static<typeof CommonEvent>;

const seats = { id: Type.String(), seats: Type.Integer({ examples: [2] }) };

export const Hidden = Type.Object({
  reason: Type.String({ examples: ['The address belongs to a person who knows nothing of the event.'] }),
  at: timestamp(),
});
export type HiddenState = Static<typeof Hidden>;

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
    myRequest: Type.Optional(
      nullable(oneOf(['pending', 'refused']), {
        description:
          "The caller's request to join, where the organizer approves guests; null without one, and once it is approved. Absent " +
          'without a token.',
      }),
    ),
    myInvitation: Type.Optional(
      nullable(
        Type.Object({
          id: Type.String(),
          status: nullable(oneOf(['pending', 'going', 'interested', 'declined'])),
          reply: nullable(Type.String()),
          message: nullable(Type.String()),
          invitedBy: ref(Person),
        }),
        {
          description:
            "The caller's invitation: that of the account, or one by whose link the caller has answered. Null without one, absent " +
            'without a token.',
        },
      ),
    ),
    hidden: Type.Optional(
      nullable(Hidden, {
        description:
          'Why and since when an admin hides the event from all but its organizer and admins; null if no admin does. Absent ' +
          'for other callers.',
      }),
    ),
  }),
);
export type Event = Static<typeof Event>;

const affected = Type.Integer({
  examples: [12],
  description: 'The number of events in the scope: 1 without a series.',
});

/** The record after a change. */
export const ChangedEvent = named(
  'ChangedEvent',
  Type.Object({
    ...Event.properties,
    affected,
    keptOwn: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Of a change with the scope `following` or `all`: the ids of occurrences in which a field of the change kept a value of its own.',
      }),
    ),
  }),
);
export const DeletedEvents = named('DeletedEvents', Type.Object({ success: Type.Literal(true), affected }));

export const ScopeQuery = Type.Object({
  scope: Type.Optional(
    oneOf(scopes, {
      description: 'Which occurrences of a series; `this` without a series. Default: `this`.',
    }),
  ),
});

const EventTombstone = named(
  'EventTombstone',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
    reason: oneOf(tombstoneReasons, {
      description:
        '`deleted`: the organizer has deleted the event, or withdrawn it from the public. `cancelled`: it does not take place. ' +
        '`hidden`: an admin hides it, or its organizer is suspended.',
    }),
    at: timestamp(),
  }),
);
export type EventTombstone = { id: string; reason: (typeof tombstoneReasons)[number]; at: Date };

const EventSync = named(
  'EventSync',
  Type.Object({
    tombstones: Type.Array(ref(EventTombstone), {
      description:
        'Public events that lists no longer show: remove them from the copy. Empty without `updatedSince`.',
    }),
    nextCursor: nullable(Type.String(), { description: 'For the next page; null on the last one.' }),
    syncedAt: nullable(timestamp(), {
      description:
        'The `updatedSince` of the next request; null until the last page. It lies some seconds before the request for the first ' +
        'page, so that no change is missed: changes of these seconds are repeated.',
    }),
  }),
);
export type EventSync = { tombstones: EventTombstone[]; nextCursor: string | null; syncedAt: Date | null };

export const EventPage = named(
  'EventPage',
  Type.Object({
    data: Type.Array(ref(ListedEvent)),
    meta: ref(PageMeta),
    sync: Type.Optional(ref(EventSync)),
  }),
);

const { status, ...fields } = schemasOf(fieldRows, (field) => field.input, body) as Schemas<EventInput>;
const { title, startAt, endAt, location, category, ...optionalFields } = fields;

/** All fields as requests have them, in responses: of an event that does not exist yet. */
export const EnteredEvent = named('EnteredEvent', Type.Object({ ...fields, status }));
export type EnteredEvent = Static<typeof EnteredEvent>;

export const NewEvent = body(
  { title, startAt, endAt, location, category, ...Type.Partial(Type.Object(optionalFields)).properties },
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
    startAt,
    endAt: Type.Optional(
      inputTime(
        `After \`startAt\` and at most ${maxDays} days later, in the years 1900 to 9999 in UTC. If left out, the copy ` +
          'lasts as long as the event: an all-day event the same number of days, any other event the same time by the clock of ' +
          'its time zone, also over a clock change. ' +
          'Required if the event lasts longer than a new event may.',
      ),
    ),
  },
  { examples: [{ startAt: '2027-12-24T18:00:00+01:00' }] },
);
export type EventCopy = Static<typeof EventCopy>;

const message = prose(1_000, {
  minLength: 1,
  format: 'visible-text',
  pattern: seenPattern,
  description:
    'A message of the organizer to the guests about the change, which the notification of the change shows. 400 if the ' +
    'change notifies no guests: the change must cancel the event, restore a cancelled event, or change its time or place; ' +
    'the event must be visible to guests, and must not be over. At least one character must be visible.',
  examples: ['We move indoors. Bring slippers!'],
});

const inviteGuests = Type.Boolean({
  description:
    'Whether the accounts that answered the event, by an RSVP or seats, become invited, so that they go on seeing it. 400 if it is true ' +
    'and the event is not private after the change.',
});

export const EventChange = Type.Partial(body({ ...fields, status, message, inviteGuests }), {
  additionalProperties: false,
  examples: [{ title: 'Harbour potluck, now indoors' }],
});
/** The fields that a change sets. */
export type EventChange = Omit<Static<typeof EventChange>, 'message' | 'inviteGuests'>;
