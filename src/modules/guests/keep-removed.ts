import { sql } from '#pg';
import type { ContactHook } from '../../http/define-module.ts';
import { contactsOf } from '../../lib/contact.ts';
import { findContacts, listGuestsWith } from '../accounts/guests.ts';
import { lockEventCounters } from '../attendance/lock-event-counters.ts';
import { writeStandings } from '../events/event-people.ts';
import { listEventRows } from '../events/repo.ts';
import { findRemoved } from '../events/standings.ts';

/**
 * An account that confirms the contact of a removed guest is removed from the event too, except its organizer. The transaction holds
 * the lock of the contact, as a removal does.
 */
export const keepRemoved: ContactHook = async (tx, userId, changed) => {
  const contacts = await findContacts(tx, userId);
  const confirmed = contacts ? contactsOf(contacts) : [];
  const guests = await listGuestsWith(
    tx,
    changed.filter(({ value }) => confirmed.some((contact) => contact.value === value)),
  );
  const removed = await findRemoved(tx, guests);
  if (removed.length === 0) return;
  const ids = removed.map(({ eventId }) => eventId);
  await lockEventCounters(tx, ids, sql`1 as locked`, true);
  const events = await listEventRows(tx, ids);
  const people = events.flatMap(({ id, organizerId }) =>
    organizerId === userId ? [] : [{ eventId: id, userId }],
  );
  if (people.length > 0) await tx.execute(writeStandings(people, { isRemoved: true }));
};
