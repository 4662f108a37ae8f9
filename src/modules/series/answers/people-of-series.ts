/** Reads who answers a series: a row for each person, with the answers to its next dates. */
import { isOneOf, type Queryable, sql } from '#pg';
import type { Viewer } from '../../../identity/caller.ts';
import { visibleCondition } from '../../events/policy.ts';
import type { Rsvp } from '../../events/repo.ts';
import { listShownPeople, type ShownPerson } from '../../events/shown-people.ts';

/** Dates whose answers are shown. */
const shownDates = 12;

/** The next scheduled dates of a series that a viewer may see, the first one first. */
export const listNextDates = async (
  db: Queryable,
  seriesId: string,
  viewer: Viewer | null,
  now: Date,
): Promise<string[]> => {
  const dates = await db.query<{ id: string }>(sql`
    select e.id from events e
    where e.series_id = ${seriesId} and e.status = 'scheduled' and e.end_at > ${now} and ${visibleCondition(viewer)}
    order by e.start_at, e.id limit ${shownDates}`);
  return dates.map(({ id }) => id);
};

type Answer = { userId: string; status: Rsvp; extraGuests: number; isHidden: boolean };
type DateAnswer = Answer & { eventId: string };
/** `answers`: one for each date, in their order; null without an answer. */
export type SeriesGuestRow = ShownPerson & { standing: Rsvp | null; answers: (DateAnswer | null)[] };

type GuestsQuery = {
  seriesId: string;
  dates: string[];
  viewer: Viewer | null;
  /** The viewer sees all people except suspended ones, and those who are invited and have not answered. */
  seesAll: boolean;
  after: string;
  limit: number;
};

/** People who are read at once: of a page, those whom the viewer may not see are few. */
const extraRows = 20;

/** Lists people by the age of their accounts. */
export async function listSeriesGuests(db: Queryable, query: GuestsQuery): Promise<SeriesGuestRow[]> {
  const rows: SeriesGuestRow[] = [];
  for (let { after } = query; ; ) {
    const count = query.limit + extraRows;
    const ids = await listPeopleAfter(db, { ...query, after, limit: count });
    rows.push(...(await readPeople(db, query, ids)));
    const last = ids.at(-1);
    if (rows.length >= query.limit || !last || ids.length < count) return rows.slice(0, query.limit);
    after = last;
  }
}

async function listPeopleAfter(
  db: Queryable,
  { seriesId, dates, seesAll, after, limit }: GuestsQuery,
): Promise<string[]> {
  const ofDates = isOneOf(sql`event_id`, dates);
  const sources = [
    sql`select user_id from series_rsvps where series_id = ${seriesId} and user_id > ${after}`,
    ...(dates.length > 0
      ? [sql`select distinct user_id from rsvps where ${ofDates} and user_id > ${after}`]
      : []),
    ...(seesAll
      ? [
          sql`select user_id from series_people
            where series_id = ${seriesId} and is_invited and user_id > ${after}`,
        ]
      : []),
    ...(seesAll && dates.length > 0
      ? [
          sql`select distinct user_id from event_people where ${ofDates} and is_invited and user_id > ${after}`,
        ]
      : []),
  ];
  const found = await Promise.all(
    sources.map((source) => db.query<{ userId: string }>(sql`${source} order by user_id limit ${limit}`)),
  );
  const ids = new Set(found.flat().map(({ userId }) => userId));
  return [...ids].sort().slice(0, limit);
}

/** A person without an answer that the viewer may see is in the list only if the viewer sees all. */
async function readPeople(
  db: Queryable,
  { seriesId, dates, viewer, seesAll }: GuestsQuery,
  ids: string[],
): Promise<SeriesGuestRow[]> {
  if (ids.length === 0) return [];
  const ofPeople = isOneOf(sql`user_id`, ids);
  const [standings, answers] = await Promise.all([
    db.query<Answer>(sql`
      select user_id, status, extra_guests, is_hidden from series_rsvps where series_id = ${seriesId} and ${ofPeople}`),
    dates.length === 0
      ? []
      : db.query<DateAnswer>(sql`
          select event_id, user_id, status, coalesce(extra_guests, 0) as extra_guests,
            coalesce(is_hidden, false) as is_hidden
          from rsvps where ${isOneOf(sql`event_id`, dates)} and ${ofPeople}`),
  ]);
  const isSeen = ({ isHidden }: Answer) => seesAll || !isHidden;
  const seen = { standings: standings.filter(isSeen), answers: answers.filter(isSeen) };
  const answered = new Set([...seen.standings, ...seen.answers].map(({ userId }) => userId));
  const people = await listShownPeople(
    db,
    { id: viewer?.id ?? null, seesAll },
    ids
      .filter((userId) => seesAll || answered.has(userId))
      .map((userId) => ({ userId, isHidden: answered.has(userId) ? false : null })),
  );
  const standingOf = new Map(seen.standings.map((answer) => [answer.userId, answer.status]));
  const answerOf = new Map(seen.answers.map((answer) => [answer.userId + answer.eventId, answer]));
  return ids.flatMap((id) => {
    const person = people.get(id);
    if (!person) return [];
    const own = dates.map((eventId) => answerOf.get(id + eventId) ?? null);
    return [{ ...person, standing: standingOf.get(id) ?? null, answers: own }];
  });
}

/** Whether a viewer has answered a series, or is a guest of one of its coming dates. */
export async function isGuestOfSeries(
  db: Queryable,
  seriesId: string,
  userId: string,
  now: Date,
): Promise<boolean> {
  const answered = await db.query(
    sql`select 1 from series_rsvps where series_id = ${seriesId} and user_id = ${userId}`,
  );
  if (answered.length > 0) return true;
  const own = await db.query<{ eventId: string }>(sql`
    select event_id from rsvps where user_id = ${userId} union select event_id from bookings where user_id = ${userId}
    union select event_id from claims where user_id = ${userId}`);
  if (own.length === 0) return false;
  const ids = own.map(({ eventId }) => eventId);
  const found = await db.query(sql`
    select 1 from events where ${isOneOf(sql`id`, ids)} and series_id = ${seriesId} and end_at > ${now} limit 1`);
  return found.length > 0;
}
