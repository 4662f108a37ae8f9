/** The first guests of events whom a viewer may list. */
import type { Database } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { listGuests } from '../attendance/guests/repo.ts';
import { listShownPeople } from '../events/shown-people.ts';
import type { PersonRow } from '../people/present.ts';
import { maxGuests } from './highlight-schemas.ts';

/** Of the first guests, the viewer may not see some. If too few are left, further ones are read for this viewer. */
export const guestsRead = 2 * maxGuests;

/** `first`: the first `guestsRead` people who are going, by the age of their accounts. `seesAll`: as organizers do. */
export type EventGuests = {
  eventId: string;
  seesAll: boolean;
  first: { userId: string; isHidden: boolean }[];
};

/** @returns for each of the events, at most `maxGuests` people */
export async function listFirstGuests(
  db: Database,
  viewer: Viewer | null,
  events: EventGuests[],
): Promise<PersonRow[][]> {
  const id = viewer?.id ?? null;
  // A person may hide at one of the events and not at another one.
  const candidates = (wanted: boolean) =>
    events
      .filter(({ seesAll }) => seesAll === wanted)
      .flatMap(({ first }) => first.filter(({ isHidden }) => wanted || !isHidden));
  const [organized, others] = await Promise.all([
    listShownPeople(db, { id, seesAll: true }, candidates(true)),
    listShownPeople(db, { id, seesAll: false }, candidates(false)),
  ]);
  const found: PersonRow[][] = [];
  for (const event of events) {
    const { seesAll, first } = event;
    const people = seesAll ? organized : others;
    const shown = first
      .filter(({ isHidden }) => seesAll || !isHidden)
      .flatMap(({ userId }) => people.get(userId) ?? [])
      .slice(0, maxGuests);
    // One event after the other: an event may have thousands of guests who hide.
    found.push([...shown, ...(await listFurther(db, viewer, event, maxGuests - shown.length))]);
  }
  return found;
}

async function listFurther(
  db: Database,
  viewer: Viewer | null,
  { eventId, seesAll, first }: EventGuests,
  limit: number,
): Promise<PersonRow[]> {
  const last = first.at(-1);
  if (limit === 0 || first.length < guestsRead || !last) return [];
  const after = { status: 'going' as const, id: last.userId };
  return listGuests(db, { eventId, viewer, seesAll, status: 'going', after, limit });
}
