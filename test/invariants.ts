/**
 * What must be true of the database at any moment between two transactions, whatever happened before: every counter
 * equals the rows it counts, nothing points at somebody who is gone, and what is kept twice agrees with itself.
 */
import assert from 'node:assert/strict';
import { userSearchText } from '../src/modules/users/repo.ts';
import type { SqlDatabase } from './sql-tag.ts';

/** Name of the rule → a query for whatever breaks it. */
const rules: Record<string, string> = {
  'a person has counters': `
    select u.id from users u left join user_counters c on c.user_id = u.id where c.user_id is null`,
  'followers_count, following_count and events_count count': `
    select * from (
      select c.user_id, c.followers_count, c.following_count, c.events_count,
        (select count(*)::int from relations r where r.user_id = c.user_id and r.followed_by) as followers,
        (select count(*)::int from relations r where r.user_id = c.user_id and r.follows) as following,
        (select count(*)::int from events e where e.organizer_id = c.user_id
          and e.visibility = 'public' and e.status = 'scheduled' and not e.hidden) as events
      from user_counters c) t
    where (followers_count, following_count, events_count) <> (followers, following, events)`,
  'upload_usage counts what images take, and every image and avatar has its owner': `
    select u.user_id, u.bytes, g.bytes as used from
      (select user_id, sum(bytes) as bytes from uploads group by user_id) u
      full join upload_usage g on g.user_id = u.user_id where coalesce(u.bytes, 0) is distinct from g.bytes
    union all select a.id, null, null from users a left join uploads u on u.id = a.avatar_upload and u.user_id = a.id
      where a.avatar_upload is not null and u.id is null`,
  'a relation has a mirror that says the same': `
    select a.* from relations a left join relations b on b.user_id = a.other_id and b.other_id = a.user_id
    where (b.followed_by, b.follows, b.blocked_by, b.blocks) is distinct from
      (a.follows, a.followed_by, a.blocks, a.blocked_by)`,
  'a relation is between two people who exist': `
    select r.* from relations r left join users u on u.id = r.other_id where u.id is null`,
  'phones and users agree': `
    select u.id, u.phone, p.phone as listed, p.user_id
    from users u full join phones p on p.phone = u.phone and p.user_id = u.id
    where u.id is null or p.phone is null`,
  'usernames and users agree': `
    select u.id, u.username, n.username as listed, n.user_id
    from users u full join usernames n on n.username = u.username and n.user_id = u.id
    where u.id is null or n.username is null`,
  'an event has counters': `
    select e.id from events e left join event_counters c on c.event_id = e.id where c.event_id is null`,
  'an event has an organizer who exists': `
    select e.id, e.organizer_id from events e left join users u on u.id = e.organizer_id where u.id is null`,
  'rsvp_count and going_count count': `
    select * from (
      select c.event_id, c.rsvp_count, c.going_count,
        (select count(*)::int from rsvps r where r.event_id = c.event_id) as rsvps,
        (select count(*)::int from rsvps r where r.event_id = c.event_id and r.status = 'going') as going
      from event_counters c) t
    where (rsvp_count, going_count) <> (rsvps, going)`,
  'booked_count and waiting_count count, and no booking has a number that was not handed out': `
    select * from (
      select c.event_id, c.booked_count, c.waiting_count, c.last_booking,
        (select coalesce(sum(b.seats), 0)::int from bookings b
          where b.event_id = c.event_id and b.status = 'booked') as seats,
        (select count(*)::int from bookings b where b.event_id = c.event_id and b.status = 'waiting') as waiting,
        (select coalesce(max(b.n), 0) from bookings b where b.event_id = c.event_id) as newest
      from event_counters c) t
    where (booked_count, waiting_count) <> (seats, waiting) or newest > last_booking`,
  'no more seats are booked than there are': `
    select e.id, e.capacity, c.booked_count from events e join event_counters c on c.event_id = e.id
    where e.capacity <> 0 and c.booked_count > e.capacity`,
  'nobody is booked who came after somebody who waits': `
    select * from (
      select event_id, max(n) filter (where status = 'booked') as last_booked,
        min(n) filter (where status = 'waiting') as first_waiting
      from bookings group by event_id) t
    where last_booked > first_waiting`,
  'who waits longest wants more seats than are free': `
    select * from (
      select distinct on (b.event_id) b.event_id, b.n, b.seats, e.capacity, c.booked_count from bookings b
      join events e on e.id = b.event_id join event_counters c on c.event_id = b.event_id
      where b.status = 'waiting' order by b.event_id, b.n) t
    where capacity = 0 or booked_count + seats <= capacity`,
  'an item has stock, and a number that its event has handed out': `
    select i.event_id, i.n from items i
    join event_counters c on c.event_id = i.event_id
    left join item_stock s on s.event_id = i.event_id and s.n = i.n
    where s.n is null or i.n > c.last_item`,
  'claimed is the sum of the claims, and no more than needed': `
    select * from (
      select s.event_id, s.n, s.needed, s.claimed,
        (select coalesce(sum(c.quantity), 0)::int from claims c where c.event_id = s.event_id and c.n = s.n) as sum
      from item_stock s) t
    where claimed <> sum or claimed > needed`,
  'rsvps, saves, claims and bookings are of people who exist': `
    select 'rsvp' as kind, event_id, user_id from rsvps where user_id not in (select id from users)
    union all select 'save', event_id, user_id from saves where user_id not in (select id from users)
    union all select 'claim', event_id, user_id from claims where user_id not in (select id from users)
    union all select 'booking', event_id, user_id from bookings where user_id not in (select id from users)`,
  'a conversation has a mirror that ends with the same message': `
    select a.* from conversations a
    left join conversations b on b.user_id = a.other_id and b.other_id = a.user_id
    where b.last_id is distinct from a.last_id`,
  'a conversation ends with its newest message, and unread_count counts those of the other since read_id': `
    select * from (
      select c.*,
        (select max(m.id::text)::uuid from messages m where m.user_id = c.user_id and m.other_id = c.other_id) as last,
        (select count(*)::int from messages m where m.user_id = c.user_id and m.other_id = c.other_id
          and not m.is_own and (c.read_id is null or m.id > c.read_id)) as unread
      from conversations c) t
    where last_id is distinct from last or unread_count <> unread`,
  'a message lies with both, the same': `
    select a.user_id, a.other_id, a.id from messages a
    left join messages b on b.user_id = a.other_id and b.other_id = a.user_id and b.id = a.id
    where (b.is_own, b.text, b.created_at) is distinct from (not a.is_own, a.text, a.created_at)`,
  'messages rise in time as they do in id': `
    select * from (
      select user_id, other_id, id, created_at,
        lag(created_at) over (partition by user_id, other_id order by id) as before from messages) t
    where before >= created_at`,
  'a conversation is between two people who exist': `
    select c.* from conversations c left join users u on u.id = c.other_id where u.id is null`,
  'an import is of an event of its organizer': `
    select i.* from imports i left join events e on e.id = i.event_id and e.organizer_id = i.organizer_id
    where e.id is null`,
};

/** Throws with the rules that are broken and the rows that break them. All of them see the database at one moment. */
export async function assertCounters(sql: Pick<SqlDatabase, 'begin'>): Promise<void> {
  const broken = await sql.begin(async (tx) => {
    const found: Record<string, unknown[]> = {};
    for (const [rule, query] of Object.entries(rules)) found[rule] = [...(await tx.text(query))];
    const people = await tx<{ id: string; name: string; username: string; search: string }[]>`
      select id, name, username, search from users`;
    found['what search finds a person by is made of their name and username'] = people.filter(
      (person) => person.search !== userSearchText(person.name, person.username),
    );
    return Object.entries(found).filter(([, rows]) => rows.length > 0);
  }, 'isolation level repeatable read, read only');
  assert.deepEqual(Object.fromEntries(broken), {});
}
