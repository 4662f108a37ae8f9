/** What is worth knowing about an event in a list: one thing, and for people who are going also what is still needed. */
import type { EventHighlights, ListedEvent } from '@potluck/client';
import { m } from '#lib/messages/index.js';

/** What a list shows beside the record of an event. */
export type Highlights = Pick<EventHighlights, 'bookedCount' | 'neededCount'> & {
  guests: Pick<EventHighlights['guests'][number], 'id' | 'name' | 'avatar'>[];
};
/** `kind`: the class of a badge. */
type Remark = { text: string; kind: 'bad' | 'good' | 'need' | '' };

/** @param highlights undefined if the list does not have them */
export function worthKnowing(
  { status, myRsvp, capacity }: Pick<ListedEvent, 'status' | 'myRsvp' | 'capacity'>,
  highlights: Highlights | undefined,
): Remark[] {
  if (status === 'cancelled') return [{ text: m.cancelled(), kind: 'bad' }];
  const { bookedCount = 0, neededCount = 0 } = highlights ?? {};
  const needed: Remark[] =
    neededCount > 0 ? [{ text: m.discovery_needed({ count: neededCount }), kind: 'need' }] : [];
  if (myRsvp === 'going') return [{ text: m.you_are_going(), kind: 'good' }, ...needed];
  if (!highlights || capacity === 0) return needed;
  const left = capacity - bookedCount;
  if (left <= 0) return [{ text: m.discovery_full(), kind: '' }];
  // While more than half of the seats are free, they are no reason to hurry.
  if (needed.length === 0 && left <= capacity / 2)
    return [{ text: m.discovery_seats_left({ left, capacity }), kind: '' }];
  return needed;
}
