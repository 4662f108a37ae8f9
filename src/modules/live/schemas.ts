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

const message = (event: string, data: ReturnType<typeof ref>, description: string) =>
  Type.Object({ event: Type.Literal(event), data }, { description });

/** As HTML's server-sent events; what a message may be is said by `contentSchema`. */
export const LiveStream = Type.String({
  description:
    'Messages of an `event`, its JSON in `data`, and an `id` on the last of those that belong together. ' +
    'Lines that begin with a colon only keep the connection open.',
  contentMediaType: 'text/event-stream',
  contentSchema: Type.Union([
    message('snapshot', ref(LiveSnapshot), 'All there is: the first message, and after a gap.'),
    message('counts', ref(LiveCounts), 'A count has changed.'),
    message('event', ref(LiveEvent), 'The record has changed; what is not in here can be read again.'),
    message('item', ref(Item), 'An item was added or has changed; without `myClaim`.'),
    message('itemRemoved', ref(LiveItemRemoved), 'An item was removed.'),
    message('gone', ref(LiveGone), 'The caller may no longer listen; the stream ends.'),
  ]),
  examples: [
    'event: counts\nid: mYk2Wm0tC8xYb4uE\ndata: {"rsvpCount":14,"goingCount":9,"bookedCount":4}\n\n',
  ],
});
