/** What an element of the feed has beside the event. */
import { type PersonRow, toPerson } from '../users/present.ts';
import type { Found } from './repo.ts';
import type { Reason } from './schemas.ts';

/** `people`: whom the event was found by, in order; null is somebody who has left since. */
export function toReasons(
  { isOrganizer, reasonsCount }: Pick<Found, 'isOrganizer' | 'reasonsCount'>,
  people: (PersonRow | null)[],
  publicUrl: string,
): { reasons: Reason[]; reasonsCount: number } {
  const reasons = people.flatMap((person, i): Reason[] =>
    person
      ? [{ type: isOrganizer && i === 0 ? 'organizing' : 'going', user: toPerson(person, publicUrl) }]
      : [],
  );
  return { reasons, reasonsCount: reasonsCount - (people.length - reasons.length) };
}
