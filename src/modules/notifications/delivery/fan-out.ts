/** Delivers fan-outs: notifies many people about an event, a page at a time. */
import { idAfter, minId } from '#base';
import { empty, join, type Statement, skipLockedUnless, sql, type Transaction, transaction } from '#pg';
import {
  type Audience,
  eventSubject,
  findSeriesSubject,
  guestAudiences,
  listEventsOf,
  type Subject,
} from '../../../outbox/audiences.ts';
import { type FanOutKind, type FanOutRule, fanOuts } from '../../../outbox/kinds.ts';
import { type DeliveryServices, type DueCause, prepareDelivery } from './deliver.ts';

/** A fan-out with the event as it is now. `eventId`: of an announcement about a series, the id of the series. */
type FanOut = {
  eventId: string;
  isOfSeries: boolean;
  subject: Subject;
  kind: FanOutKind;
  position: string;
  isRepeated: boolean;
  /** The first notice that the recipients are notified of; null for kinds without notices. */
  since: string | null;
  /** The events that one operation changed, in the order in which they begin; null for a single one. */
  among: string[] | null;
  /** The announcement whose row has the fan-out; null for other kinds. */
  about: string | null;
  /** The author and the lists of the announcement; otherwise null and none. */
  authorId: string | null;
  audience: Audience[];
  /** The author, or the organizer of the event. */
  actorId: string;
  /** Whether the recipients are still to be notified. */
  isCurrent: boolean;
};

const peoplePerPage = 1_000;

/** Notifies the recipients of all fan-outs that are committed and on which no other server works. */
export async function runFanOuts(services: DeliveryServices): Promise<void> {
  while (await notifyPage(services));
}

/**
 * Notifies one page of people. One transaction locks the fan-out, writes the notifications and moves the
 * position on, so each of them is notified exactly once, also if the server is killed between two pages or
 * several servers work. Fan-outs take turns: the one that is least far is next.
 * @returns whether there may be more people who can be notified now
 */
const notifyPage = (services: DeliveryServices): Promise<boolean> =>
  transaction(services.db, async (tx, commit) => {
    const fanOut = await lockFanOut(tx, services.clock());
    if (!fanOut) return false;
    const causes = fanOut.isCurrent ? await listCauses(tx, fanOut) : [];
    const { isBusy, deliver } = await prepareDelivery(tx, services, causes);
    // A person whose account is locked is notified in a later run, and with them all people behind them.
    const busyAt = causes.findIndex(isBusy);
    const page = busyAt === -1 ? causes : causes.slice(0, busyAt);
    const isLastPage = busyAt === -1 && causes.length < peoplePerPage;
    await commit(...deliver(page), moveOn(fanOut, isLastPage ? null : page.at(-1)?.userId));
    return busyAt !== 0;
  });

/**
 * Locks the fan-out that is next. A later statement reads the event, so it sees every change that has asked for
 * the fan-out to be repeated; a change that is not committed yet waits for the lock.
 */
async function lockFanOut(tx: Transaction, now: Date): Promise<FanOut | null> {
  const locked = await lockNext(tx);
  if (!locked) return null;
  const { eventId, kind, authorId, isOfSeries } = locked;
  if (isOfSeries && authorId) return { ...locked, actorId: authorId, ...(await findDates(tx, eventId, now)) };
  const [event] = await tx.query<{ organizerId: string; isCurrent: boolean }>(sql`
    select e.organizer_id, ${isCurrent(kind, now)} as is_current from events e where e.id = ${eventId}`);
  if (!event) return null;
  const actorId = authorId ?? event.organizerId;
  return { ...locked, actorId, subject: eventSubject(eventId), isCurrent: event.isCurrent };
}

/** The dates of a series whose people are notified. Guests do not see a hidden date. */
async function findDates(
  tx: Transaction,
  seriesId: string,
  now: Date,
): Promise<Pick<FanOut, 'subject' | 'isCurrent'>> {
  const subject = await findSeriesSubject(tx, seriesId, now, { areHidden: false });
  return { subject, isCurrent: subject.eventIds.length > 0 };
}

/**
 * SQL condition on `events e`: people can see the event, it is not over, and the reason of the kind holds. The inbox, mails and
 * pushes leave a private event out for people who are not invited.
 */
export function isCurrent(kind: FanOutKind, now: Date): Statement {
  const { isAlsoAfterEnd, while: holds }: FanOutRule = fanOuts[kind];
  const isNotOver = isAlsoAfterEnd ? empty : sql`and e.end_at > ${now}`;
  return sql`(not e.hidden ${isNotOver} and ${holds(now)})`;
}

type LockedFanOut = Omit<FanOut, 'actorId' | 'isCurrent' | 'subject'>;

/** Fan-outs among which one is searched that no other server works on: more than there are servers. */
const maxCandidates = 50;

/** Locks the fan-out that is least far, of those that no other transaction locks. */
async function lockNext(tx: Transaction): Promise<LockedFanOut | null> {
  const candidates = await tx.query<Pick<FanOut, 'eventId' | 'kind' | 'about'>>(sql`
    select event_id, kind, position, null::uuid as about from notification_fan_outs
    union all select subject_id, 'announcement', position, id from announcements where position is not null
    order by position, event_id, kind limit ${maxCandidates}`);
  for (const { eventId, kind, about } of candidates) {
    const [locked] = await tx.query<LockedFanOut>(sql`
      ${about === null ? selectFanOut(eventId, kind) : selectAnnouncement(eventId, about)}
      for update ${skipLockedUnless(false)}`);
    if (locked) return locked;
  }
  return null;
}

const selectFanOut = (eventId: string, kind: FanOutKind): Statement => sql`
  select event_id, kind, position, is_repeated, since, among, null::uuid as about, null::uuid as author_id, '{}'::text[] as audience,
    false as is_of_series
  from notification_fan_outs where event_id = ${eventId} and kind = ${kind}`;

const selectAnnouncement = (eventId: string, id: string): Statement => sql`
  select subject_id as event_id, 'announcement' as kind, position, false as is_repeated, null::uuid as since, null::uuid[] as among,
    id as about, author_id, audience, is_of_series
  from announcements where subject_id = ${eventId} and id = ${id} and position is not null`;

/** The causes of the next recipients, in ascending order of their ids. */
async function listCauses(tx: Transaction, fanOut: FanOut): Promise<DueCause[]> {
  const { eventId, kind, actorId, position, since, about } = fanOut;
  const page = sql`order by user_id limit ${peoplePerPage}`;
  const sources = fanOuts[kind]
    .to(fanOut)
    .map((source) => sql`(select distinct user_id from (${source}) s where user_id >= ${position} ${page})`);
  const rows = await tx.query<{ userId: string }>(sql`
    select user_id from (${join(sources, ' union ')}) g ${page}`);
  const ids = rows.map(({ userId }) => userId);
  const concern = await findConcern(tx, fanOut, ids);
  return ids.map((userId) => ({
    ...{ userId, kind, subjectId: eventId, actorId, since, about },
    ...concern(userId),
  }));
}

/**
 * What the notification of a person counts, and of an announcement about a series, the date that it shows. An operation that changed
 * several events, and an announcement about a series, is one notification of a person: about the first of the events that concern the
 * person, with the number of them.
 * @returns `amount`: 0 for a person who is notified about an earlier event
 */
async function findConcern(
  tx: Transaction,
  { eventId, among, isOfSeries, subject, audience }: FanOut,
  userIds: string[],
): Promise<(userId: string) => { amount: number; eventId?: string }> {
  if (!among && !isOfSeries) return () => ({ amount: 1 });
  const eventIds = among ?? subject.eventIds;
  const found = await listEventsOf(tx, { eventIds }, isOfSeries ? audience : guestAudiences, userIds);
  const byUser = Map.groupBy(found, ({ userId }) => userId);
  return (userId) => {
    const own = new Set(byUser.get(userId)?.map(({ eventId }) => eventId));
    const first = eventIds.find((id) => own.has(id));
    if (!isOfSeries) return { amount: first === eventId ? own.size : 0 };
    // All dates concern a person who asked to join the series, or is invited to it.
    const [next] = eventIds;
    return first
      ? { amount: own.size, eventId: first }
      : { amount: eventIds.length, ...(next && { eventId: next }) };
  };
}

/**
 * The statement that stores how far a fan-out is.
 * @param last the last person who was notified; undefined if none was; null if all were
 */
function moveOn(
  { eventId, kind, about, position, isRepeated, isCurrent }: FanOut,
  last: string | null | undefined,
): Statement {
  const next = last === null ? null : last ? idAfter(last) : position;
  if (about !== null)
    return sql`update announcements set position = ${next}::uuid where subject_id = ${eventId} and id = ${about}`;
  const key = sql`event_id = ${eventId} and kind = ${kind}`;
  if (next === null && isRepeated && isCurrent)
    return sql`update notification_fan_outs set position = ${minId}, is_repeated = false, since = repeats_since,
      repeats_since = null where ${key}`;
  if (next === null) return sql`delete from notification_fan_outs where ${key}`;
  return sql`update notification_fan_outs set position = ${next} where ${key}`;
}
