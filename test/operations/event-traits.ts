/**
 * The traits of events that lists filter by, written by hand from the specification. The table of operations, the model of
 * lists, the oracles of the torture programs and test/discovery/event-traits.test.ts read them here.
 */
import type { Random } from '../support/random.ts';

/** The fields of an event that decide about its traits, in the API and in the database. */
export type EventFacts = { price: number; isPriceKnown: boolean; onlineUrl: string | null };

type EventTrait = {
  /** Fields of events, some of which have the trait. */
  examples: object[];
  isOf(event: EventFacts): boolean;
  /** Whether `false` selects the events without the trait; otherwise, it selects all. */
  isSplit?: true;
};

export const eventTraits: Record<string, EventTrait> = {
  isFree: {
    examples: [{}, { price: 0 }, { price: 5 }],
    isOf: ({ price, isPriceKnown }) => isPriceKnown && price === 0,
  },
  online: {
    examples: [{}, { onlineUrl: 'https://meet.example.org/potluck' }],
    isOf: ({ onlineUrl }) => onlineUrl !== null,
    isSplit: true,
  },
};

export const traitNames = Object.keys(eventTraits);

export const traitsOf = (event: EventFacts): string[] =>
  traitNames.filter((name) => eventTraits[name]?.isOf(event));

/** Fields of an event with some of the traits. */
export const randomTraits = ({ pick }: Pick<Random, 'pick'>): object =>
  Object.assign({}, ...Object.values(eventTraits).map(({ examples }) => pick(examples)));
