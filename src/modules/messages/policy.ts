/** Decides who may send messages to a person, and who may read conversations with them. */
import { RETRY_INDIVIDUALLY } from '#pg';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import type { EventServices } from '../events/services.ts';
import { findVisibleEvent, requireVisibleEvent } from '../events/visible-event.ts';
import type { People } from '../people/people.ts';
import type { RelationRow } from '../people/present.ts';

/** @throws Problem `user_not_found` if the account does not exist, or `people` hides it */
export async function requirePerson(people: People, id: string): Promise<void> {
  if (!(await people.find(id))?.hasAccount) throw new Problem('user_not_found');
}

type Events = Pick<EventServices, 'events' | 'isInvited'>;

/** @returns the id @throws Problem `event_not_found` if the sender may not see the event */
export async function requireEvent(services: Events, sender: Caller, eventId: string): Promise<string> {
  const id = readId(eventId, 'event_not_found');
  await requireVisibleEvent(services, id, sender);
  return id;
}

/** The events of messages that the reader may see. */
export async function visibleEvents(
  services: Events,
  reader: Caller,
  rows: { eventId: string | null }[],
): Promise<Set<string>> {
  const ids = [...new Set(rows.flatMap(({ eventId }) => eventId ?? []))];
  const found = await Promise.all(ids.map((id) => findVisibleEvent(services, id, reader)));
  return new Set(ids.filter((_, i) => found[i]));
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
