/** Who is invited to an event (`is_invited` of `event_people`): accounts and guests that have an invitation, or have answered by one. */
import { type Queryable, sql, type Transaction } from '#pg';
import { canReceive, contactsOf, type MessageContact } from '../../lib/contact.ts';
import { findContacts } from '../accounts/guests.ts';
import { lockEventCounters } from '../attendance/lock-event-counters.ts';
import { writeStandings } from '../events/event-people.ts';
import { ofAccount } from './repo.ts';

type PersonAtEvent = { eventId: string; userId: string };

/** The contacts that an account has confirmed, by which it may be invited. */
export async function listContactsOf(db: Queryable, userId: string): Promise<MessageContact[]> {
  const contacts = await findContacts(db, userId);
  return contacts ? contactsOf(contacts).filter(canReceive) : [];
}

/**
 * Stores whether people are invited, from the invitations as they are now. Locks the counters of the events, so answers are decided
 * before or after it.
 */
export async function refreshInvited(tx: Transaction, people: PersonAtEvent[]): Promise<void> {
  if (people.length === 0) return;
  await lockEventCounters(
    tx,
    people.map(({ eventId }) => eventId),
    sql`1 as locked`,
    true,
  );
  const invited = await Promise.all(people.map((person) => isInvited(tx, person)));
  for (const now of [true, false]) {
    const changed = people.filter((_, i) => invited[i] === now);
    if (changed.length > 0) await tx.execute(writeStandings(changed, { isInvited: now }));
  }
}

async function isInvited(tx: Transaction, { eventId, userId }: PersonAtEvent): Promise<boolean> {
  const contacts = await listContactsOf(tx, userId);
  const found = await tx.query(sql`
    select 1 as found from invitations i where i.subject_id = ${eventId} and ${ofAccount(userId, contacts)}
    union all select 1 from invitations i where i.subject_id = ${eventId} and i.guest_id = ${userId}
    union all select 1 from invitation_uses u where u.subject_id = ${eventId} and u.user_id = ${userId}
    limit 1`);
  return found.length > 0;
}
