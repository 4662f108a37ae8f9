import { type Static, Type } from 'typebox';
import { listOf, named, ref } from '../../http/schemas.ts';
import { Person } from '../people/schemas.ts';

const maxEvents = 50;

export const EventHighlightsQuery = Type.Object({
  ids: Type.String({
    pattern: `^[^,]+(,[^,]+){0,${maxEvents - 1}}$`,
    maxLength: maxEvents * 37,
    description: `Ids of 1 to ${maxEvents} events, separated by commas. Unknown ids are left out.`,
    examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'],
  }),
});

/** The maximum number of people of an event. */
export const maxGuests = 4;

const EventHighlights = named(
  'EventHighlights',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
    guests: Type.Array(ref(Person), {
      maxItems: maxGuests,
      description:
        'People who are going, those with the oldest accounts first; empty if the caller may not list them.',
    }),
    bookedCount: Type.Integer({ examples: [9], description: 'Number of booked seats.' }),
    neededCount: Type.Integer({
      examples: [6],
      description: 'Number of items of the bring-list of which not all are claimed; 0 for a cancelled event.',
    }),
  }),
);
export type EventHighlights = Static<typeof EventHighlights>;

export const EventHighlightsList = listOf(EventHighlights);
