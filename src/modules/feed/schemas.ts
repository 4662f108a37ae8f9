import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../http/cursors.ts';
import { named, oneOf, ref } from '../../http/schemas.ts';
import { ListedEvent } from '../events/schemas.ts';
import { collapse } from '../events/start-pages.ts';
import { Person } from '../people/schemas.ts';

export const FeedQuery = Type.Object({ collapse, ...cursorQuery });

const { distanceKm: _, ...listed } = ListedEvent.properties;

export const Reason = named(
  'Reason',
  Type.Object({
    type: oneOf(['organizing', 'going'], {
      description: 'Whether the person organizes the event or goes to it.',
    }),
    user: ref(Person),
  }),
);
export type Reason = Static<typeof Reason>;

/** An element of the feed (specification 3). */
export const FeedEvent = named(
  'FeedEvent',
  Type.Object({
    ...listed,
    reasons: Type.Array(ref(Reason), {
      maxItems: 3,
      description: 'At most three of the people whom the caller follows; the organizer comes first.',
    }),
    reasonsCount: Type.Integer({ examples: [5], description: 'The number of all such people.' }),
  }),
);
export const FeedPage = cursorPage(FeedEvent);
