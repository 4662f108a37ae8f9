import { type Static, Type } from 'typebox';
import { ref, shared } from '../../http/schemas.ts';
import { Event } from '../events/schemas.ts';
import { Item } from '../items/schemas.ts';

export const LiveQuery = Type.Object({
  once: Type.Boolean({
    default: false,
    description: 'With `true` the answer is one `snapshot` and ends.',
  }),
  lastEventId: Type.Optional(
    Type.String({
      description:
        'The same as `Last-Event-ID`, for clients that send it as a parameter. The header comes first.',
      examples: ['mYk2Wm0tC8xYb4uE'],
    }),
  ),
});

export const LiveHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description:
        'The `id` of the last message that was received. As long as nothing has changed since, the stream goes on ' +
        'without a `snapshot`.',
      examples: ['mYk2Wm0tC8xYb4uE'],
    }),
  ),
});

export const LiveCounts = shared(
  'LiveCounts',
  Type.Object({
    rsvpCount: Event.properties.rsvpCount,
    goingCount: Event.properties.goingCount,
    bookedCount: Event.properties.bookedCount,
  }),
);
export type LiveCounts = Static<typeof LiveCounts>;

const { id, title, startAt, endAt, allDay, timezone, capacity, status, updatedAt } = Event.properties;
/** `updatedAt` moves with whatever else changes of the record. */
export const LiveEvent = shared(
  'LiveEvent',
  Type.Object({ id, title, startAt, endAt, allDay, timezone, capacity, status, updatedAt }),
);
export type LiveEvent = Static<typeof LiveEvent>;

export const LiveSnapshot = shared(
  'LiveSnapshot',
  Type.Object({
    event: ref(LiveEvent),
    counts: ref(LiveCounts),
    items: Type.Array(ref(Item), {
      description: 'In the order in which they were added, without `myClaim`.',
    }),
  }),
);
export type LiveSnapshot = Static<typeof LiveSnapshot>;

export const LiveItemRemoved = shared(
  'LiveItemRemoved',
  Type.Object({ id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] }) }),
);

export const LiveGone = shared(
  'LiveGone',
  Type.Object({
    code: Type.String({
      description: 'What the same request would be refused with now: `event_not_found` or `token_invalid`.',
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
      id: Type.Optional(Type.String({ description: 'On the last of the messages that belong together.' })),
    },
    { description },
  );

/** One server-sent event: its name, its `data` as parsed from JSON, its id. */
export const LiveMessage = shared(
  'LiveMessage',
  Type.Union(
    [
      message('snapshot', ref(LiveSnapshot), 'The whole state: the first message, and after a gap.'),
      message('counts', ref(LiveCounts), 'A count has changed.'),
      message(
        'event',
        ref(LiveEvent),
        'The record has changed; fields that are not in here can be read again.',
      ),
      message('item', ref(Item), 'An item was added or has changed; without `myClaim`.'),
      message('itemRemoved', ref(LiveItemRemoved), 'An item was removed.'),
      message('gone', ref(LiveGone), 'The caller may no longer listen; the stream ends.'),
    ],
    { description: 'A message of the stream: the name of the event, and its JSON in `data`.' },
  ),
);

/**
 * The parsed `data` of a message. OpenAPI 3.1 has no keyword for the messages of a stream, and client generators type
 * the parsed `data` of each message with the schema of the media type, so this is that schema. `contentSchema` applies
 * to the stream as text, and says what its messages are.
 */
export const LiveData = shared(
  'LiveData',
  Type.Union(
    [ref(LiveSnapshot), ref(LiveCounts), ref(LiveEvent), ref(Item), ref(LiveItemRemoved), ref(LiveGone)],
    {
      description: 'The JSON in the `data` of a message; `LiveMessage` says which `event` has which.',
      contentMediaType: 'text/event-stream',
      contentSchema: ref(LiveMessage),
    },
  ),
);
