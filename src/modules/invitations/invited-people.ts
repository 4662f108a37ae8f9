/** The people who are invited to an event or a series (`is_invited` of `event_people` and `series_people`): accounts and guests that have an
 * invitation, or have answered by one. */
import { isOneOf, type Queryable, sql, type Transaction } from '#pg';
import { canReceive, contactsOf, type MessageContact } from '../../lib/contact.ts';
import { findContacts } from '../accounts/guests.ts';
import { lockEventCounters } from '../attendance/lock-event-counters.ts';
import { writeStandings } from '../events/event-people.ts';
import { findSeriesStanding, writeSeriesStanding } from '../events/series/series-people.ts';
import { type InvitedTo, lockDatesOf } from './invited-dates.ts';
import { ofAccount } from './repo.ts';

/** A person, and what the person may be invited to. */
export type InvitedPerson = InvitedTo & { userId: string };

/** The contacts that an account has confirmed, by which it may be invited. */
export async function listContactsOf(db: Queryable, userId: string): Promise<MessageContact[]> {
  const contacts = await findContacts(db, userId);
  return contacts ? contactsOf(contacts).filter(canReceive) : [];
}

/**
 * Stores whether people are invited, from the invitations as they are now. Locks the series, and the counters of the events and of the
 * dates of the series, so answers are decided before or after it, and later dates have it too.
 */
export async function refreshInvited(tx: Transaction, people: InvitedPerson[]): Promise<void> {
  const events = people.filter(({ isOfSeries }) => !isOfSeries);
  const keys: PersonAtEvent[] = events.map(({ subjectId, userId }) => ({ eventId: subjectId, userId }));
  for (const [seriesId, group] of inOrder(people.filter(({ isOfSeries }) => isOfSeries))) {
    const dates = await lockDatesOf(tx, seriesId);
    for (const { userId } of group) {
      const isInvited = (await listInvitedTo(tx, userId, [seriesId])).has(seriesId);
      await writeSeriesInvited(tx, { seriesId, userId }, { isInvited });
      keys.push(...dates.map((eventId) => ({ eventId, userId })));
    }
  }
  if (keys.length === 0) return;
  await lockEventCounters(tx, [...new Set(keys.map(({ eventId }) => eventId))], sql`1 as locked`, true);
  const changed = new Map<boolean, PersonAtEvent[]>([true, false].map((each) => [each, []]));
  for (const [userId, own] of Map.groupBy(keys, ({ userId }) => userId)) {
    const eventIds = own.map(({ eventId }) => eventId);
    const invited = await listInvitedTo(tx, userId, eventIds);
    for (const id of await listInvitedBySeries(tx, userId, eventIds)) invited.add(id);
    for (const key of own) changed.get(invited.has(key.eventId))?.push(key);
  }
  for (const [isInvited, some] of changed)
    if (some.length > 0) await tx.execute(writeStandings(some, { isInvited }));
}

type PersonAtEvent = { eventId: string; userId: string };

const inOrder = (people: InvitedPerson[]): [string, InvitedPerson[]][] =>
  [...Map.groupBy(people, ({ subjectId }) => subjectId)].sort(([a], [b]) => (a < b ? -1 : 1));

/** Of some events and series, those to which a person has an invitation, or has answered by one. */
async function listInvitedTo(tx: Transaction, userId: string, ids: string[]): Promise<Set<string>> {
  const contacts = await listContactsOf(tx, userId);
  const found = await tx.query<{ subjectId: string }>(sql`
    select i.subject_id from invitations i
    where ${isOneOf(sql`i.subject_id`, ids)} and (${ofAccount(userId, contacts)} or i.guest_id = ${userId})
    union select u.subject_id from invitation_uses u
    where ${isOneOf(sql`u.subject_id`, ids)} and u.user_id = ${userId}`);
  return new Set(found.map(({ subjectId }) => subjectId));
}

/** Of some events, those to whose series a person is invited. */
async function listInvitedBySeries(tx: Transaction, userId: string, ids: string[]): Promise<string[]> {
  const series = await tx.query<{ seriesId: string }>(
    sql`select series_id from series_people where user_id = ${userId} and is_invited`,
  );
  if (series.length === 0) return [];
  const seriesIds = series.map(({ seriesId }) => seriesId);
  const found = await tx.query<{ id: string }>(sql`
    select id from events where ${isOneOf(sql`id`, ids)} and ${isOneOf(sql`series_id`, seriesIds)}`);
  return found.map(({ id }) => id);
}

/** The transaction must hold a lock of the series that excludes other writes of what was decided about the person. */
async function writeSeriesInvited(
  tx: Transaction,
  key: { seriesId: string; userId: string },
  change: { isInvited: boolean; isRemoved?: boolean },
): Promise<void> {
  const standing = await findSeriesStanding(tx, key.seriesId, key.userId);
  await writeSeriesStanding(tx, key, { ...standing, ...change });
}

/**
 * Stores that people are invited to an event, or to a series with all its dates, from now on. The transaction must hold the lock of the
 * event or of the series, and of the people, or those of `lockInvitation`.
 * @param change.isRemoved false for people who may return
 */
export async function markInvited(
  tx: Transaction,
  { subjectId, isOfSeries }: InvitedTo,
  userIds: string[],
  change: { isRemoved?: false } = {},
): Promise<void> {
  if (userIds.length === 0) return;
  const invited = { isInvited: true, ...change };
  const dates = isOfSeries ? await lockDatesOf(tx, subjectId) : [subjectId];
  if (isOfSeries)
    for (const userId of userIds) await writeSeriesInvited(tx, { seriesId: subjectId, userId }, invited);
  if (dates.length === 0) return;
  await lockEventCounters(tx, dates, sql`1 as locked`, true);
  const people = dates.flatMap((eventId) => userIds.map((userId) => ({ eventId, userId })));
  await tx.execute(writeStandings(people, invited));
}
