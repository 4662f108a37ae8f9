/** Accounts are made by the first sign-in of a phone, or by a command that names one. */

import { randomInt } from 'node:crypto';
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { userSearchText } from '../users/repo.ts';
import type { Phone } from './codes.ts';

/** @throws Problem `invalid_request` for what is no number in international form */
export function readPhone(text: string): Phone {
  // What phones and their address books put around and between the digits: marks of direction, wide digits, odd dashes.
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .trim();
  const phone = /^\+[\d\s().-]+$/.test(plain) ? parsePhoneNumberFromString(plain) : undefined;
  if (!phone?.isPossible())
    throw invalid('phone', 'must be a phone number in international form, such as +12025550102');
  const { number, country } = phone;
  return { number, country: country && isSupportedCountry(country) ? country : undefined };
}

/**
 * The account of a phone, made when there is none: two at once make one, by the primary key of `phones`.
 * The account is share-locked, so that it is still there when the transaction commits.
 * @param number E.164
 */
export async function findOrCreateAccount(
  tx: Transaction,
  number: string,
  now: Date,
): Promise<{ id: string; isNew: boolean; isSuspended: boolean }> {
  // An account that is being deleted holds its phone until it is gone: then the second round makes a new one.
  for (let round = 0; round < 5; round++) {
    const id = newId();
    const count = await tx.execute(
      sql`insert into phones (phone, user_id) values (${number}, ${id}) on conflict do nothing`,
    );
    if (count === 1) {
      await insertAccount(tx, id, number, now);
      return { id, isNew: true, isSuspended: false };
    }
    const [found] = await tx.query<{ id: string; isSuspended: boolean }>(sql`
      select u.id, u.suspended_at is not null as is_suspended from users u where u.id = (select user_id from phones where phone = ${number}) for key share`);
    if (found) return { ...found, isNew: false };
  }
  throw new Problem('unavailable');
}

async function insertAccount(tx: Transaction, id: string, phone: string, now: Date): Promise<void> {
  const username = await reserveUsername(tx, id);
  await tx.query(sql`
    insert into users (id, phone, name, username, bio, city, is_private, role, search, created_at)
    values (${id}, ${phone}, ${username}, ${username}, '', '', false, 'user', ${userSearchText(username, username)}, ${now})`);
  await tx.query(sql`
    insert into user_counters (user_id, followers_count, following_count, events_count) values (${id}, 0, 0, 0)`);
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
