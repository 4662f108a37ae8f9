/** Decides who may send messages to a person, and who may read conversations with them. */
import { RETRY_INDIVIDUALLY } from '#pg';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { isVisible } from '../events/policy.ts';
import type { EventServices } from '../events/services.ts';
import type { People } from '../people/people.ts';
import type { RelationRow } from '../people/present.ts';

/** @throws Problem `user_not_found` if the account does not exist, or `people` hides it */
export async function requirePerson(people: People, id: string): Promise<void> {
  if (!(await people.find(id))?.hasAccount) throw new Problem('user_not_found');
}

type Events = EventServices['events'];

/** @returns the id @throws Problem `event_not_found` if the sender may not see the event */
export async function requireEvent(events: Events, sender: Caller, eventId: string): Promise<string> {
  const id = readId(eventId, 'event_not_found');
  const event = await events.find(id);
  if (!event || !isVisible(event.row, sender)) throw new Problem('event_not_found');
  return id;
}

/** The events of messages that the reader may see. */
export async function visibleEvents(
  events: Events,
  reader: Caller,
  rows: { eventId: string | null }[],
): Promise<Set<string>> {
  const ids = [...new Set(rows.flatMap(({ eventId }) => eventId ?? []))];
  const found = await Promise.all(ids.map((id) => events.find(id)));
  return new Set(ids.filter((_, i) => found[i] && isVisible(found[i].row, reader)));
}

/**
 * Decides whether two people may send messages to each other. A block in either direction forbids it.
 * @param relation undefined if `lockPairs` did not lock it
 * @returns null if they may; otherwise the Problem, or `RETRY_INDIVIDUALLY` if another transaction holds the
 *   lock
 */
export function refuseMessage(
  relation: RelationRow | undefined,
  mayWaitForLocks: boolean,
): Problem | typeof RETRY_INDIVIDUALLY | null {
  if (!relation) return mayWaitForLocks ? new Problem('user_not_found') : RETRY_INDIVIDUALLY;
  return relation.blocks || relation.blockedBy ? new Problem('blocked') : null;
}
