import { dayMs } from '#base';
import { type Database, empty, join, one, type Statement, sql } from '#pg';
import type { Contact } from '../../lib/contact.ts';
import { listedCondition } from '../events/policy.ts';
import { userSearchTerm } from '../people/search/patterns.ts';
import { hasTerm } from '../people/search/repo.ts';
import type { AdminUserRow } from './present.ts';

/** A count that the overview shows stops here. */
const maxCounted = 1_000;

async function countRows(db: Database, found: Statement): Promise<number> {
  const rows = await db.query<{ count: number }>(sql`
    select count(*)::int as count from (select 1 from ${found} limit ${maxCounted}) found`);
  return one(rows).count;
}

export const countSuspended = (db: Database): Promise<number> =>
  countRows(db, sql`users where suspended_at is not null and guest_of is null`);

/** Counts the accounts that were created in a period. */
export const countAccounts = (db: Database, from: Date, to: Date): Promise<number> =>
  countRows(db, sql`users where created_at >= ${from} and created_at < ${to} and guest_of is null`);

const eventsBetween = (from: Date, to: Date): Statement =>
  sql`events e where ${listedCondition()} and e.start_at >= ${from} and e.start_at < ${to}`;

/** Counts the events of lists that start in a period. */
export const countEvents = (db: Database, from: Date, to: Date): Promise<number> =>
  countRows(db, eventsBetween(from, to));

/** Of a chart; more rows would take too long to count. */
const maxCharted = 20_000;

/** Counts the rows of each of some days from a time on. @param found the rows by `at`, the first ones first */
async function countByDay(db: Database, found: Statement, from: Date, days: number): Promise<number[]> {
  const rows = await db.query<{ day: number; count: number }>(sql`
    select floor(extract(epoch from at - ${from}::timestamptz) / 86400)::int as day, count(*)::int as count
    from (${found} limit ${maxCharted}) found group by 1`);
  const counts = new Map(rows.map(({ day, count }) => [day, count]));
  return Array.from({ length: days }, (_, day) => counts.get(day) ?? 0);
}

/** Counts the accounts that were created on each of some days. */
export const countAccountsByDay = (db: Database, from: Date, days: number): Promise<number[]> =>
  countByDay(
    db,
    sql`select created_at as at from users where created_at >= ${from} and guest_of is null order by created_at desc`,
    from,
    days,
  );

/** Counts the events of lists that start on each of some days. */
export function countEventsByDay(db: Database, from: Date, days: number): Promise<number[]> {
  const found = eventsBetween(from, new Date(from.getTime() + days * dayMs));
  return countByDay(db, sql`select e.start_at as at from ${found} order by e.start_at`, from, days);
}

type UserFilter = {
  q: string | undefined;
  /** Each of them is a contact of the account. */
  contacts: Contact[];
  suspended: boolean | undefined;
};

const ofContact = (contact: Contact): Statement =>
  sql`and u.id in (
    select user_id from contacts where contact = ${contact.value}
    union all select user_id from guest_contacts where contact = ${contact.value})`;

/**
 * Returns accounts, the newest first.
 * @param after the time and id of the last account of the previous page; null for the first page
 */
export async function listUsers(
  db: Database,
  { q, contacts, suspended }: UserFilter,
  after: [createdAt: Date, id: string] | null,
  limit: number,
): Promise<AdminUserRow[]> {
  return await db.query<AdminUserRow>(sql`
    select u.id, u.name, u.username, u.avatar_upload, u.guest_of is null as has_account, u.phone, u.email, u.role, u.suspended_at, u.suspension_reason, u.created_at
    from users u
    where true
      ${q === undefined ? sql`` : sql`and ${hasTerm(userSearchTerm(q))}`}
      ${contacts.length === 0 ? empty : join(contacts.map(ofContact), ' ')}
      ${suspended === undefined ? sql`` : suspended ? sql`and u.suspended_at is not null` : sql`and u.suspended_at is null`}
      ${after ? sql`and (u.created_at, u.id) < (${after[0]}, ${after[1]})` : sql``}
    order by u.created_at desc, u.id desc limit ${limit}`);
}
