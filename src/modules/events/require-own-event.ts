import { type Queryable, sql, type Transaction } from '#pg';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { requireOrganizer } from './policy.ts';
import type { EventRow } from './present.ts';
import { findEvent, findEventForUpdate } from './repo.ts';
import { invitedIn, isVisibleTo } from './standings.ts';

/**
 * Finds an event that the caller may change, without a lock.
 * @throws Problem `event_not_found`, `not_organizer`
 */
export async function findOwnEvent(db: Queryable, id: string, caller: Caller): Promise<EventRow> {
  const event = await findEvent(db, id);
  if (!event || !(await isVisibleTo(invitedIn(db), id, event, caller))) throw new Problem('event_not_found');
  requireOrganizer(event, caller);
  return event;
}

/**
 * Locks an event that the caller may change.
 * @throws Problem `event_not_found`, `not_organizer`
 */
export async function requireOwnEvent(tx: Transaction, id: string, caller: Caller): Promise<EventRow> {
  const row = await findEventForUpdate(tx, id, caller);
  if (!row) throw new Problem('event_not_found');
  requireOrganizer(row, caller);
  return row;
}

/**
 * Locks an event against changes of it, while people go on answering.
 * @throws Problem `event_not_found`
 */
export async function lockVisibleEvent(tx: Transaction, id: string, caller: Caller): Promise<EventRow> {
  await tx.query(sql`select 1 from events where id = ${id} for no key update`);
  const event = await findEvent(tx, id);
  if (!event || !(await isVisibleTo(invitedIn(tx), id, event, caller))) throw new Problem('event_not_found');
  return event;
}
