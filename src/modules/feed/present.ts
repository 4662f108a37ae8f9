/** The fields that an element of the feed has in addition to the event. */
import { Type } from 'typebox';
import { serializerOf } from '../../http/serialization.ts';
import { type PersonRow, toPerson } from '../people/present.ts';
import type { FeedElement } from './repo.ts';
import { FeedEvent, type Reason } from './schemas.ts';

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
export const serializeReasons: (fields: Reasons) => string = serializerOf(
  Type.Object({ reasons, reasonsCount }),
);
