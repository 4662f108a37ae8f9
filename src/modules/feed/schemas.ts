import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../http/cursors.ts';
import { oneOf, ref, shared } from '../../http/schemas.ts';
import { ListedEvent } from '../events/schemas.ts';
import { Person } from '../users/schemas.ts';

export const FeedQuery = Type.Object(cursorQuery);

const { distanceKm: _, ...listed } = ListedEvent.properties;

export const Reason = shared(
  'Reason',
  Type.Object({
    type: oneOf(['organizing', 'going'], { description: 'What the person has to do with the event.' }),
    user: ref(Person),
  }),
);
export type Reason = Static<typeof Reason>;

/** Spec 3: the feed, which the blocked are hidden from. */
export const FeedEvent = shared(
  'FeedEvent',
  Type.Object({
    ...listed,
    reasons: Type.Array(ref(Reason), {
      maxItems: 3,
      description: 'People whom the caller follows, at most three of them; who organizes it comes first.',
    }),
    reasonsCount: Type.Integer({ examples: [5], description: 'How many such people there are.' }),
  }),
);
export const FeedPage = cursorPage(ref(FeedEvent));
