/** The lists of people of an event, by which announcements and fan-outs find whom they reach. */
import { isOneOf, join, type Queryable, type Statement, sql } from '#pg';

/** Statements that select the `user_id` of people. A person may occur more than once. */
type People = (eventId: string) => Statement[];

const lists = {
  going: (id) => [
    sql`select user_id from rsvps where event_id = ${id} and status = 'going'`,
    sql`select user_id from bookings where event_id = ${id} and status = 'booked'`,
  ],
  interested: (id) => [sql`select user_id from rsvps where event_id = ${id} and status = 'interested'`],
  waiting: (id) => [sql`select user_id from bookings where event_id = ${id} and status = 'waiting'`],
  requesting: (id) => [sql`select user_id from requests where subject_id = ${id} and status = 'pending'`],
  // Contacts that are invited are reminded by their invitations.
  unanswered: (id) => [
    sql`select user_id from invitations where subject_id = ${id} and is_by_id and status = 'pending'`,
  ],
  claimants: (id) => [sql`select user_id from claims where event_id = ${id}`],
} satisfies Record<string, People>;

export type Audience = keyof typeof lists;
export const audiences = Object.keys(lists) as Audience[];

/** The guests of an event: what announcements reach unless they say otherwise. */
export const guestAudiences: Audience[] = ['going', 'interested', 'waiting', 'claimants'];

export const peopleOf = (eventId: string, audience: readonly Audience[]): Statement[] =>
  audience.flatMap((list) => lists[list](eventId));

/** Of some people, of which of the events each is a guest. */
export const listEventsOfGuests = (
  db: Queryable,
  eventIds: string[],
  userIds: string[],
): Promise<{ userId: string; eventId: string }[]> => {
  const tables = [sql`rsvps`, sql`bookings`, sql`claims`].map(
    (table) => sql`
      select user_id, event_id from ${table}
      where ${isOneOf(sql`event_id`, eventIds)} and user_id = any(${userIds}::uuid[])`,
  );
  return db.query(join(tables, ' union '));
};

/** Whom an announcement is for. */
export type Addressed = { eventId: string; authorId: string; audience: Audience[] };

/** Whether a person sees an event: of a private one, its organizer, people who are invited, and guests without an account. */
const seesEvent = (eventId: string): Statement => sql`(
  (select visibility from events where id = ${eventId}) <> 'private'
  or user_id = (select organizer_id from events where id = ${eventId})
  or user_id in (select user_id from event_people where event_id = ${eventId} and is_invited)
  or user_id in (select id from users where guest_of = ${eventId}))`;

/** The recipients of an announcement; a suspended person is none, nor who does not see the event any more. Counting, sending and mails find them by these statements. */
export const recipientsOf = ({ eventId, authorId, audience }: Addressed): Statement[] =>
  peopleOf(eventId, audience).map(
    (people) => sql`${people} and user_id <> ${authorId} and ${seesEvent(eventId)}`,
  );

/** Counts each recipient once. Blocks and settings, which only delivery knows, change no number. */
export async function countRecipients(db: Queryable, addressed: Addressed): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    with suspended as materialized (select id from users where suspended_at is not null)
    select count(*)::int as count from (${join(recipientsOf(addressed), ' union ')}) r
    where user_id not in (select id from suspended)`);
  return row?.count ?? 0;
}

/** The lists of an event in which a person is now. */
export async function listAudiencesOf(db: Queryable, eventId: string, userId: string): Promise<Audience[]> {
  const named = audiences.flatMap((name) =>
    lists[name](eventId).map((people) => sql`select ${name}::text as audience, user_id from (${people}) p`),
  );
  const rows = await db.query<{ audience: Audience }>(sql`
    select distinct audience from (${join(named, ' union all ')}) l where user_id = ${userId}`);
  return rows.map(({ audience }) => audience);
}
