import { type Static, Type } from 'typebox';
import { named, ref } from '../../http/schemas.ts';
import { Event } from '../events/schemas.ts';
import { Item } from '../items/schemas.ts';

export const LiveQuery = Type.Object({
  once: Type.Boolean({
    default: false,
    description: 'With `true` the response is one `snapshot` and ends.',
  }),
  lastEventId: Type.Optional(
    Type.String({
      description:
        'The same as the header `Last-Event-ID`, for clients that cannot set headers. The header takes precedence.',
      examples: ['mYk2Wm0tC8xYb4uE'],
    }),
  ),
});

export const LiveHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description:
        'The `id` of the last message that the client received. If nothing has changed since then, the stream ' +
        'continues without a `snapshot`.',
    }),
  ),
});

const { rsvpCount, goingCount, partyCount, bookedCount } = Event.properties;
export const LiveCounts = named(
  'LiveCounts',
  Type.Object({
    ...{ rsvpCount, goingCount, partyCount, bookedCount },
    commentsVersion: Type.Integer({
      description:
        'Rises with each change of the comments. GET /v1/events/{id}/comments lists those that the caller may read.',
      examples: [3],
    }),
  }),
);
export type LiveCounts = Static<typeof LiveCounts>;

const { id, title, startAt, endAt, allDay, timezone, capacity, status, updatedAt } = Event.properties;
/** `updatedAt` changes also if a field changes that is not part of this schema. */
export const LiveEvent = named(
  'LiveEvent',
  Type.Object({ id, title, startAt, endAt, allDay, timezone, capacity, status, updatedAt }),
);
export type LiveEvent = Static<typeof LiveEvent>;

export const LiveSnapshot = named(
  'LiveSnapshot',
  Type.Object({
    event: ref(LiveEvent),
    counts: ref(LiveCounts),
    items: Type.Array(ref(Item), {
      description: 'The items in the order in which they were added, without `myClaim`.',
    }),
  }),
);
export type LiveSnapshot = Static<typeof LiveSnapshot>;

const LiveItemRemoved = named(
  'LiveItemRemoved',
  Type.Object({ id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] }) }),
);

const LiveGone = named(
  'LiveGone',
  Type.Object({
    code: Type.String({
      description: 'The problem code that a new request would get: `event_not_found` or `token_invalid`.',
      examples: ['event_not_found'],
    }),
  }),
);

const message = <const E extends string, D extends ReturnType<typeof ref>>(
  event: E,
  data: D,
  description: string,
) =>
  Type.Object(
    {
      event: Type.Literal(event),
      data,
      id: Type.Optional(Type.String({ description: 'Present on the last message of a change.' })),
    },
    { description },
  );

/** One server-sent event: its name, its parsed `data` and its id. */
const LiveMessage = named(
  'LiveMessage',
  Type.Union(
    [
      message(
        'snapshot',
        ref(LiveSnapshot),
        'The whole state: the first message, and the message after a gap.',
      ),
      message('counts', ref(LiveCounts), 'A count has changed.'),
      message(
        'event',
        ref(LiveEvent),
        'The event record has changed. Read the record again for fields that `data` does not have.',
      ),
      message('item', ref(Item), 'An item was added or has changed. `data` does not have `myClaim`.'),
      message('itemRemoved', ref(LiveItemRemoved), 'An item was removed.'),
      message('gone', ref(LiveGone), 'The caller may no longer listen; the stream ends.'),
    ],
    { description: 'A message of the stream: the name of the event, and its JSON in `data`.' },
  ),
);

/**
 * The parsed `data` of a message. OpenAPI 3.1 has no keyword for the messages of a stream, and client
 * generators type the parsed `data` of each message with the schema of the media type, so this is that
 * schema. `contentSchema` applies to the stream as text, and describes its messages.
 */
export const LiveData = named(
  'LiveData',
  Type.Union(
    [ref(LiveSnapshot), ref(LiveCounts), ref(LiveEvent), ref(Item), ref(LiveItemRemoved), ref(LiveGone)],
    {
      description: 'The JSON in the `data` of a message. `LiveMessage` lists the data of each `event`.',
      contentMediaType: 'text/event-stream',
      contentSchema: ref(LiveMessage),
    },
  ),
);
