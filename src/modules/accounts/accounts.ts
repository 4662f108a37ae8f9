/** Accounts: created at the first sign-in of a contact or by a command, and changed by admins. */
import { randomInt } from 'node:crypto';
import { newId } from '#base';
import { empty, type Queryable, raw, sql, type Transaction, update } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import type { Contact, ContactKind } from '../../lib/contact.ts';
import { Problem } from '../../lib/errors.ts';
import { insertCounters } from '../people/counters.ts';
import { userSearchText } from '../people/search/patterns.ts';

const maxAttempts = 5;

export type FoundAccount = { id: string; isNew: boolean; isSuspended: boolean };

/**
 * Finds or creates the account of a contact. The primary key of `contacts` prevents concurrent sign-ins
 * from creating two accounts. The account stays share-locked until the transaction ends.
 * @throws Problem `unavailable` if concurrent deletions of the account outlast all attempts
 */
export async function findOrCreateAccount(
  tx: Transaction,
  contact: Contact,
  now: Date,
): Promise<FoundAccount> {
  // The insert waits for a concurrent deletion of the account, and the next attempt creates a new account.
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const id = newId();
    if (await reserveContact(tx, id, contact, null)) {
      await insertAccount(tx, id, contact, now);
      return { id, isNew: true, isSuspended: false };
    }
    const found = await findAccount(tx, contact);
    if (found) return { ...found, isNew: false };
  }
  throw new Problem('unavailable');
}

/**
 * Makes the contact that of the account. Waits for a transaction that changes it.
 * @param addedAt null for a contact with which the account is created
 * @returns false if an account has the contact already
 */
export async function reserveContact(
  tx: Transaction,
  userId: string,
  contact: Contact,
  addedAt: Date | null,
): Promise<boolean> {
  const count = await tx.execute(sql`
    insert into contacts (contact, user_id, added_at) values (${contact.value}, ${userId}, ${addedAt})
    on conflict do nothing`);
  return count === 1;
}

/** Of the contacts of an account, those that were added to it after a time. */
export async function listContactsSince(tx: Queryable, contacts: Contact[], since: Date): Promise<string[]> {
  const rows = await tx.query<{ contact: string }>(sql`
    select contact from contacts
    where contact = any(${contacts.map(({ value }) => value)}::text[]) and added_at > ${since}`);
  return rows.map(({ contact }) => contact);
}

/** Makes the contact free, unless another account has it already. */
export async function releaseContact(tx: Transaction, userId: string, contact: Contact): Promise<void> {
  await tx.query(sql`delete from contacts where contact = ${contact.value} and user_id = ${userId}`);
}

/** Finds the town of a profile; empty if the person has not named one. */
export async function findCity(db: Queryable, userId: string): Promise<string> {
  const [user] = await db.query<{ city: string }>(sql`select city from users where id = ${userId}`);
  return user?.city ?? '';
}

/** Finds the id of the account of a contact, without a lock. */
export async function findOwner(tx: Queryable, contact: Contact): Promise<string | null> {
  const [owner] = await tx.query<{ userId: string }>(
    sql`select user_id from contacts where contact = ${contact.value}`,
  );
  return owner?.userId ?? null;
}

/** The accounts of contacts, by the canonical value of the contact. */
export async function listOwners(tx: Queryable, contacts: Contact[]): Promise<Map<string, string>> {
  if (contacts.length === 0) return new Map();
  const rows = await tx.query<{ contact: string; userId: string }>(sql`
    select contact, user_id from contacts where contact = any(${contacts.map(({ value }) => value)}::text[])`);
  return new Map(rows.map(({ contact, userId }) => [contact, userId]));
}

/** Finds the account of a contact, which stays share-locked until the transaction ends. */
export async function findAccount(
  tx: Transaction,
  contact: Contact,
): Promise<{ id: string; isSuspended: boolean } | null> {
  const owner = await findOwner(tx, contact);
  const [found] = await tx.query<{ id: string; isSuspended: boolean }>(sql`
    select id, suspended_at is not null as is_suspended from users where id = ${owner} for key share`);
  return found ?? null;
}

async function insertAccount(
  tx: Transaction,
  id: string,
  { kind, value }: Contact,
  now: Date,
): Promise<void> {
  const username = await reserveUsername(tx, id);
  await tx.query(sql`
    insert into users (id, ${raw(kind)}, name, username, bio, city, is_private, role, search, created_at)
    values (${id}, ${value}, ${username}, ${username}, '', '', false, 'user', ${userSearchText(username, username)}, ${now})`);
  await insertCounters(tx, id);
}

async function reserveUsername(tx: Transaction, id: string): Promise<string> {
  for (;;) {
    const username = `guest_${randomInt(36 ** 6)
      .toString(36)
      .padStart(6, '0')}`;
    const count = await tx.execute(
      sql`insert into usernames (username, user_id) values (${username}, ${id}) on conflict do nothing`,
    );
    if (count === 1) return username;
  }
}

/** @param value null removes the contact. The transaction must have reserved it, and releases the one before */
export async function setContact(
  tx: Transaction,
  userId: string,
  kind: ContactKind,
  value: string | null,
): Promise<void> {
  // An address that is added later is shown to no one until its owner allows it again.
  const more = kind === 'email' && value === null ? sql`, mail_replies = false` : empty;
  await tx.query(sql`${update('users', sql`${raw(kind)} = ${value} ${more}`)} where id = ${userId}`);
}

/** Changes a person's role, and locks the account until the transaction ends. The sessions of the person have it as well. */
export async function updateRole(tx: Transaction, userId: string, role: Viewer['role']): Promise<void> {
  await tx.query(sql`select 1 from users where id = ${userId} for update`);
  await tx.query(sql`${update('users', sql`role = ${role}`)} where id = ${userId}`);
}

/** @param suspendedAt null restores the account. @param reason what the person reads; may be empty */
export async function updateSuspension(
  tx: Transaction,
  userId: string,
  suspendedAt: Date | null,
  reason: string,
): Promise<void> {
  await tx.query(sql`
    ${update('users', sql`suspended_at = ${suspendedAt}, suspension_reason = ${reason}`)} where id = ${userId}`);
}

/** Whether an account exists that is not suspended. Locks nothing. */
export async function isActiveAccount(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`select 1 from users where id = ${id} and suspended_at is null`);
  return rows.length === 1;
}

/**
 * Locks the account against deletion until the transaction ends. Returns false if it is deleted or suspended.
 */
export async function lockAccount(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.query(
    sql`select 1 from users where id = ${id} and suspended_at is null for key share`,
  );
  return rows.length === 1;
}
