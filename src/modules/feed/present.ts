/** The fields that an element of the feed has in addition to the event. */
import fastJson, { type Schema } from 'fast-json-stringify';
import { Type } from 'typebox';
import { type PersonRow, toPerson } from '../users/present.ts';
import { Person } from '../users/schemas.ts';
import type { FeedElement } from './repo.ts';
import { FeedEvent, Reason } from './schemas.ts';

type Reasons = { reasons: Reason[]; reasonsCount: number };

/** @param people the people of the element, in order; null for a deleted account */
export function toReasons(
  { isOrganizer, reasonsCount }: Pick<FeedElement, 'isOrganizer' | 'reasonsCount'>,
  people: (PersonRow | null)[],
  publicUrl: string,
): Reasons {
  const reasons = people.flatMap((person, i): Reason[] =>
    person
      ? [{ type: isOrganizer && i === 0 ? 'organizing' : 'going', user: toPerson(person, publicUrl) }]
      : [],
  );
  return { reasons, reasonsCount: reasonsCount - (people.length - reasons.length) };
}

const { reasons, reasonsCount } = FeedEvent.properties;

/** Serializes the fields as a JSON object, by their schemas in `FeedEvent`. */
export const serializeReasons: (fields: Reasons) => string = fastJson(
  Type.Object({ reasons, reasonsCount }) as Schema,
  { schema: { Reason, Person } as Record<string, Schema> },
);
