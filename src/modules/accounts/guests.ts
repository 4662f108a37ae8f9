/**
 * Guests without an account: each is a row of `users` that belongs to one event (`guest_of`), without a username and counters. A
 * contact that a code has confirmed is in `guest_contacts`, by which its owner is found again.
 */
import { dayMs, newId } from '#base';
import { type ChangedRecords, recordChange } from '#fresh-records';
import {
  insertRows,
  isOneOf,
  lockEach,
  lockRows,
  type Queryable,
  raw,
  rowsOf,
  skipLockedUnless,
  sql,
  type Transaction,
  update,
} from '#pg';
import type { Language } from '../../../web/src/lib/language/languages.ts';
import { changedPeople } from '../../identity/changed-people.ts';
import { changedSessions, sessionKey } from '../../identity/sessions.ts';
import { type Contact, type Contacts, contactsOf, type MessageContact } from '../../lib/contact.ts';
import { userSearchText } from '../people/search/patterns.ts';

/** How long after the end of an event its guests keep their names, contacts and tokens, and its invitations their contacts. */
export const keptMs = 30 * dayMs;

export type FoundGuest = { id: string; name: string };

/**
 * Finds the guest of an event with a contact, and locks it until the transaction ends. The transaction must hold the lock of the
 * contact (codes/contact-locks.ts): then no other one makes a guest of it.
 */
export async function findGuest(
  tx: Transaction,
  eventId: string,
  contact: Contact,
): Promise<FoundGuest | null> {
  const [known] = await tx.query<{ userId: string }>(sql`
    select user_id from guest_contacts where contact = ${contact.value} and event_id = ${eventId}`);
  return known ? await lockGuest(tx, known.userId) : null;
}

/** Finds a guest by its id, and locks it until the transaction ends. */
export async function lockGuest(
  tx: Transaction,
  id: string,
): Promise<(FoundGuest & { isSuspended: boolean }) | null> {
  const [guest] = await tx.query<FoundGuest & { isSuspended: boolean }>(sql`
    select id, name, suspended_at is not null as is_suspended from users where id = ${id} for update`);
  return guest ?? null;
}

/** Finds a suspended guest, of any event, with a contact. */
export async function findSuspendedGuest(tx: Transaction, contact: Contact): Promise<string | null> {
  const known = await listGuestIds(tx, [contact]);
  if (known.length === 0) return null;
  const [guest] = await tx.query<{ id: string }>(
    sql`select id from users where ${isOneOf(sql`id`, known)} and suspended_at is not null limit 1`,
  );
  return guest?.id ?? null;
}

/** `contact`: null for a guest whom an invitation makes. */
export type NewGuest = { eventId: string; name: string; contact: MessageContact | null; language: Language };

/** Makes a guest of an event. @returns its id */
export async function insertGuest(
  tx: Transaction,
  { eventId, name, contact, language }: NewGuest,
  now: Date,
): Promise<string> {
  const id = newId();
  if (contact)
    await tx.query(sql`
      insert into guest_contacts (contact, event_id, user_id) values (${contact.value}, ${eventId}, ${id})`);
  const row = { id, name, language, phone: null, email: null, isAdded: false };
  await insertGuestRows(tx, eventId, [{ ...row, ...(contact && { [contact.kind]: contact.value }) }], now);
  return id;
}

type GuestRow = Pick<Contacts, 'phone' | 'email'> & {
  id: string;
  name: string;
  language: Language | null;
  /** By the organizer of the event. */
  isAdded: boolean;
};

/** Inserts rows of guests of an event, without their entries in `guest_contacts`. */
export async function insertGuestRows(
  tx: Transaction,
  eventId: string,
  guests: GuestRow[],
  now: Date,
): Promise<void> {
  const rows = guests.map((guest) => ({
    ...guest,
    ...{ username: '', bio: '', city: '', isPrivate: false, role: 'user' },
    ...{ search: userSearchText(guest.name, ''), createdAt: now, guestOf: eventId },
  }));
  await tx.execute(
    insertRows('users', rows, {
      ...{ id: 'uuid', name: 'text', phone: 'text', email: 'text', language: 'text', isAdded: 'boolean' },
      ...{ username: 'text', bio: 'text', city: 'text', isPrivate: 'boolean', role: 'text' },
      ...{ search: 'text', createdAt: 'timestamptz', guestOf: 'uuid' },
    }),
  );
}

/** The contact that a guest of an event has confirmed; none for an account. */
export async function listContactsOfGuest(
  db: Queryable,
  { eventId, userId }: { eventId: string; userId: string },
): Promise<Contact[]> {
  const [guest] = await db.query<Contacts>(
    sql`select phone, email, oidc from users where id = ${userId} and guest_of = ${eventId}`,
  );
  return guest ? contactsOf(guest) : [];
}

/**
 * Makes a contact that of a guest of an event who has none, unless another guest of the event has it. The transaction must hold the
 * lock of the contact and that of the guest, and record `changedPeople` at its end.
 * @returns whether the guest has it now
 */
export async function keepContact(
  tx: Transaction,
  { eventId, userId }: { eventId: string; userId: string },
  { kind, value }: MessageContact,
): Promise<boolean> {
  const guests = await tx.query(sql`
    select 1 from users where id = ${userId} and guest_of = ${eventId} and email is null and phone is null`);
  if (guests.length === 0) return false;
  const isFree = await tx.execute(sql`
    insert into guest_contacts (contact, event_id, user_id) values (${value}, ${eventId}, ${userId})
    on conflict do nothing`);
  if (isFree === 0) return false;
  await tx.execute(sql`${update('users', sql`${raw(kind)} = ${value}`)} where id = ${userId}`);
  return true;
}

/** The account, and the guest of the event, to whom a contact belongs. */
export async function listPeopleOfContact(
  tx: Transaction,
  eventId: string,
  contact: Contact,
): Promise<string[]> {
  const found = await tx.query<{ userId: string }>(sql`
    select user_id from contacts where contact = ${contact.value}
    union all select user_id from guest_contacts where contact = ${contact.value} and event_id = ${eventId}`);
  return found.map(({ userId }) => userId);
}

/** The transaction must hold the lock of the guest, and record `changedPeople` at its end. */
export async function renameGuest(tx: Transaction, id: string, name: string): Promise<void> {
  await tx.query(sql`
    ${update('users', sql`name = ${name}, search = ${userSearchText(name, '')}`)}
    where id = ${id} and guest_of is not null`);
}

/**
 * Locks guests against each other's writes that change them, not against writes in their names.
 * @returns those that it has locked: all, unless `mayWaitForLocks` is false
 */
export async function lockGuests(
  tx: Transaction,
  ids: string[],
  mayWaitForLocks: boolean,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const distinct = [...new Set(ids)];
  const rows = await lockRows<{ id: string }, string>(
    tx,
    distinct,
    String,
    (some) => sql`
      select k.nth::int, u.id from ${rowsOf(
        'users u',
        some.map((id) => ({ id })),
        { id: 'uuid' },
      )}
      order by u.id for no key update of u ${skipLockedUnless(mayWaitForLocks)}`,
  );
  return new Set(rows.flatMap((row) => row?.id ?? []));
}

/** The guests of events, and the tokens that are valid for these events alone, also those of accounts. */
type OfEvents = { guests: string[]; sessions: { userId: string; id: string }[] };

const listOfEvents = async (tx: Transaction, eventIds: string[]): Promise<OfEvents> => {
  const [guests, sessions] = await Promise.all([
    tx.query<{ id: string }>(sql`select id from users where ${isOneOf(sql`guest_of`, eventIds)}`),
    tx.query<{ userId: string; id: string }>(
      sql`select user_id, id from sessions where ${isOneOf(sql`event_id`, eventIds)}`,
    ),
  ]);
  return { guests: guests.map(({ id }) => id), sessions };
};

/**
 * Locks the guests and the guest tokens of events, before the locks of the events, as each write of a guest does: no session of
 * them is opened and no write of them begins until the transaction ends.
 */
export async function lockGuestsOf(tx: Transaction, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return;
  const { guests, sessions } = await listOfEvents(tx, eventIds);
  await lockEach(guests, String, (id) => tx.query(sql`select 1 from users where id = ${id} for update`));
  await lockEach(
    sessions,
    ({ userId, id }) => `${userId} ${id}`,
    ({ userId, id }) =>
      tx.query(sql`select 1 from sessions where user_id = ${userId} and id = ${id} for update`),
  );
}

/**
 * Deletes the guests and the guest tokens of events that are deleted in the same transaction, which holds the locks of
 * `lockGuestsOf`.
 * @returns the changed records, for the change log
 */
export async function deleteGuestsOf(tx: Transaction, eventIds: string[]): Promise<ChangedRecords[]> {
  if (eventIds.length === 0) return [];
  const { guests, sessions } = await listOfEvents(tx, eventIds);
  if (sessions.length > 0)
    await tx.query(sql`delete from sessions where ${isOneOf(sql`event_id`, eventIds)}`);
  await deleteGuests(tx, guests);
  return changedGuests(guests, sessions);
}

/** Deletes rows of guests, with their contacts. */
export async function deleteGuests(tx: Transaction, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const deleted = await tx.query<Contacts & { id: string }>(
    sql`delete from users where ${isOneOf(sql`id`, ids)} and guest_of is not null returning id, phone, email, oidc`,
  );
  await deleteGuestContacts(tx, deleted);
}

/** Frees the contacts of guests. */
export async function deleteGuestContacts(
  tx: Transaction,
  guests: (Contacts & { id: string })[],
): Promise<void> {
  const values = guests.flatMap((guest) => contactsOf(guest).map(({ value }) => value));
  const ids = guests.map(({ id }) => id);
  if (values.length > 0)
    await tx.query(sql`
      delete from guest_contacts where contact = any(${values}::text[]) and user_id = any(${ids}::uuid[])`);
}

const changedGuests = (ids: string[], sessions: OfEvents['sessions']): ChangedRecords[] => [
  ...(ids.length > 0 ? [changedPeople(ids)] : []),
  ...(sessions.length > 0
    ? [changedSessions(sessions.map(({ userId, id }) => sessionKey({ userId, sessionId: id })))]
    : []),
];

/** The contacts of a person; null if there is no such person. */
export async function findContacts(db: Queryable, id: string): Promise<Contacts | null> {
  const [found] = await db.query<Contacts>(sql`select phone, email, oidc from users where id = ${id}`);
  return found ?? null;
}

/** The guests, of any event, who have confirmed one of the contacts. */
export async function listGuestsWith(
  db: Queryable,
  contacts: Contact[],
): Promise<{ eventId: string; userId: string }[]> {
  const values = contacts.map(({ value }) => value);
  return await db.query(
    sql`select event_id, user_id from guest_contacts where contact = any(${values}::text[])`,
  );
}

const listGuestIds = async (db: Queryable, contacts: Contact[]): Promise<string[]> =>
  (await listGuestsWith(db, contacts)).map(({ userId }) => userId);

/**
 * The guests with one of the contacts of an account, and their events; without suspended ones.
 * @param others ids of further guests
 */
export async function listGuestsOf(
  db: Queryable,
  userId: string,
  others: string[] = [],
): Promise<{ id: string; name: string; eventId: string }[]> {
  const contacts = await findContacts(db, userId);
  const own = contacts ? await listGuestIds(db, contactsOf(contacts)) : [];
  const ids = [...own, ...others];
  if (ids.length === 0) return [];
  return await db.query(sql`
    select id, name, guest_of as event_id from users
    where ${isOneOf(sql`id`, ids)} and suspended_at is null order by id`);
}

/**
 * Erases the names, contacts and tokens of guests, whose rows the transaction has locked. Rows that count, such as RSVPs and
 * claims, stay. The last statements of the transaction.
 */
export async function eraseGuests(tx: Transaction, ids: string[]): Promise<void> {
  const guests = await tx.query<Contacts & { id: string }>(
    sql`select id, phone, email, oidc from users where ${isOneOf(sql`id`, ids)}`,
  );
  await deleteGuestContacts(tx, guests);
  const sessions = await tx.query<{ userId: string; id: string }>(
    sql`delete from sessions where ${isOneOf(sql`user_id`, ids)} returning user_id, id`,
  );
  await tx.query(sql`
    ${update('users', sql`name = '', phone = null, email = null, search = ${userSearchText('', '')}`)}
    where ${isOneOf(sql`id`, ids)} and guest_of is not null`);
  await recordChange(tx, { records: changedGuests(ids, sessions) });
}
