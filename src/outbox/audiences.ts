/** The lists of people of an event or a series, by which announcements and fan-outs find whom they reach. */
import { isOneOf, join, type Queryable, type Statement, sql } from '#pg';

/**
 * What a list of people belongs to: an event, or a series with some of its dates. Of a series, the lists have the people of each of
 * these dates, and those who asked to join the series or are invited to it.
 */
export type Subject = { eventIds: string[]; seriesId: string | null };

export const eventSubject = (eventId: string): Subject => ({ eventIds: [eventId], seriesId: null });

/** A table with people. `isAboutSeries`: whether it has rows of series too. */
type Source = { table: Statement; key: Statement; where: Statement; isAboutSeries?: true };

const lists = {
  going: [
    { table: sql`rsvps`, key: sql`event_id`, where: sql`status = 'going'` },
    { table: sql`bookings`, key: sql`event_id`, where: sql`status = 'booked'` },
  ],
  interested: [{ table: sql`rsvps`, key: sql`event_id`, where: sql`status = 'interested'` }],
  waiting: [{ table: sql`bookings`, key: sql`event_id`, where: sql`status = 'waiting'` }],
  requesting: [
    { table: sql`requests`, key: sql`subject_id`, where: sql`status = 'pending'`, isAboutSeries: true },
  ],
  // Contacts that are invited are reminded by their invitations.
  unanswered: [
    {
      ...{ table: sql`invitations`, key: sql`subject_id` },
      ...{ where: sql`is_by_id and status = 'pending'`, isAboutSeries: true },
    },
  ],
  claimants: [{ table: sql`claims`, key: sql`event_id`, where: sql`true` }],
} satisfies Record<string, Source[]>;

export type Audience = keyof typeof lists;
export const audiences = Object.keys(lists) as Audience[];

const sourcesOf = (audience: readonly Audience[]): Source[] => audience.flatMap((list) => lists[list]);

/** The guests of an event: what announcements reach unless they say otherwise. */
export const guestAudiences: Audience[] = ['going', 'interested', 'waiting', 'claimants'];

/** Statements that select the `user_id` of people. A person may occur more than once. */
export const peopleOf = ({ eventIds, seriesId }: Subject, audience: readonly Audience[]): Statement[] =>
  sourcesOf(audience).map(({ table, key, where, isAboutSeries }) => {
    const ids = isAboutSeries && seriesId !== null ? [...eventIds, seriesId] : eventIds;
    return sql`select user_id from ${table} where ${isOneOf(key, ids)} and ${where}`;
  });

/** Of some people, in the lists of which of the events each is. */
export const listEventsOf = (
  db: Queryable,
  { eventIds }: Pick<Subject, 'eventIds'>,
  audience: readonly Audience[],
  userIds: string[],
): Promise<{ userId: string; eventId: string }[]> => {
  const found = sourcesOf(audience).map(
    ({ table, key, where }) => sql`
      select user_id, ${key} as event_id from ${table}
      where ${isOneOf(key, eventIds)} and ${where} and user_id = any(${userIds}::uuid[])`,
  );
  return db.query(join(found, ' union '));
};

/**
 * A series with its dates that have not ended, in the order in which they begin; after them with the last one, so that its people can
 * be written to after the end, as those of an event.
 */
export async function findSeriesSubject(
  db: Queryable,
  seriesId: string,
  now: Date,
  { areHidden = true } = {},
): Promise<Subject> {
  const shown = areHidden ? sql`true` : sql`not hidden`;
  const coming = await db.query<{ id: string }>(sql`
    select id from events where series_id = ${seriesId} and end_at > ${now} and ${shown} order by start_at, id`);
  const dates =
    coming.length > 0
      ? coming
      : await db.query<{ id: string }>(sql`
          select id from events where series_id = ${seriesId} and ${shown} order by start_at desc, id desc limit 1`);
  return { eventIds: dates.map(({ id }) => id), seriesId };
}

/** Whom an announcement is for. */
export type Addressed = { subject: Subject; authorId: string; audience: Audience[] };

/** Whether a person sees an event: of a private one, its organizer, people who are invited, and guests without an account. */
const seesEvent = ({ eventIds }: Subject): Statement => sql`(
  exists (select 1 from events where ${isOneOf(sql`id`, eventIds)} and visibility <> 'private')
  or user_id in (select organizer_id from events where ${isOneOf(sql`id`, eventIds)})
  or user_id in (select user_id from event_people where ${isOneOf(sql`event_id`, eventIds)} and is_invited)
  or user_id in (select id from users where ${isOneOf(sql`guest_of`, eventIds)}))`;

/** The recipients of an announcement; a suspended person is none, nor who does not see the event any more. Counting, sending and mails find them by these statements. */
export const recipientsOf = ({ subject, authorId, audience }: Addressed): Statement[] =>
  peopleOf(subject, audience).map(
    (people) => sql`${people} and user_id <> ${authorId} and ${seesEvent(subject)}`,
  );

/** Counts each recipient once. Blocks and settings, which only delivery knows, change no number. */
export async function countRecipients(db: Queryable, addressed: Addressed): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    with suspended as materialized (select id from users where suspended_at is not null)
    select count(*)::int as count from (${join(recipientsOf(addressed), ' union ')}) r
    where user_id not in (select id from suspended)`);
  return row?.count ?? 0;
}

/** The lists of an event or a series in which a person is now. */
export async function listAudiencesOf(db: Queryable, subject: Subject, userId: string): Promise<Audience[]> {
  const named = audiences.flatMap((name) =>
    peopleOf(subject, [name]).map(
      (people) => sql`select ${name}::text as audience, user_id from (${people}) p`,
    ),
  );
  const rows = await db.query<{ audience: Audience }>(sql`
    select distinct audience from (${join(named, ' union all ')}) l where user_id = ${userId}`);
  return rows.map(({ audience }) => audience);
}
