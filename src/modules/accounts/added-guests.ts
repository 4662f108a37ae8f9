/** Guests without an account whom organizers add (`is_added`), and guests as organizers change and remove them. */
import { newId } from '#base';
import { one, sql, type Transaction } from '#pg';
import type { Contacts } from '../../lib/contact.ts';
import { Problem } from '../../lib/errors.ts';
import { type FoundGuest, insertGuestRows } from './guests.ts';

/** The guests whom the organizer of an event may have added at a time. */
export const maxAddedGuests = 500;

/**
 * Makes guests of an event whom its organizer adds: they have no contact. The transaction must hold the lock of the event, so their
 * number is that of the committed ones.
 * @returns their ids, in the order of the names
 * @throws Problem `guest_list_full` if not all of them fit
 */
export async function insertAddedGuests(
  tx: Transaction,
  eventId: string,
  names: string[],
  now: Date,
): Promise<string[]> {
  const { count } = one(
    await tx.query<{ count: number }>(
      sql`select count(*)::int as count from users where guest_of = ${eventId} and is_added`,
    ),
  );
  if (count + names.length > maxAddedGuests) throw new Problem('guest_list_full');
  const none = { language: null, phone: null, email: null };
  const guests = names.map((name) => ({ id: newId(), name, ...none, isAdded: true }));
  await insertGuestRows(tx, eventId, guests, now);
  return guests.map(({ id }) => id);
}

/** A guest of an event. `isAdded`: by its organizer. */
export type GuestOfEvent = FoundGuest & Contacts & { isAdded: boolean };

/** Finds a guest without an account of an event by its id, and locks it until the transaction ends. */
export async function lockGuestOf(
  tx: Transaction,
  { eventId, userId }: { eventId: string; userId: string },
): Promise<GuestOfEvent | null> {
  const [guest] = await tx.query<GuestOfEvent>(sql`
    select id, name, phone, email, oidc, is_added from users where id = ${userId} and guest_of = ${eventId} for update`);
  return guest ?? null;
}
