/**
 * Invariants of the database between any two transactions: every counter equals the number of rows it counts,
 * no row refers to a deleted account, and duplicated data are equal.
 */
import assert from 'node:assert/strict';
import { userSearchText } from '../../src/modules/people/search/patterns.ts';
import type { SqlDatabase } from './sql-tag.ts';

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Maps the name of each rule to a query for the rows that violate it. */
const rules: Record<string, string> = {
  'every user has counters': `
    select u.id from users u left join user_counters c on c.user_id = u.id where c.user_id is null and u.guest_of is null`,
  'followers_count, following_count and events_count equal the number of rows they count': `
    with listed as materialized (
      select organizer_id, count(*)::int as events from events
      where visibility = 'public' and status = 'scheduled' and not hidden group by organizer_id)
    select * from (
      select c.user_id, c.followers_count, c.following_count, c.events_count,
        (select count(*)::int from relations r where r.user_id = c.user_id and r.followed_by) as followers,
        (select count(*)::int from relations r where r.user_id = c.user_id and r.follows) as following,
        coalesce(l.events, 0) as events
      from user_counters c left join listed l on l.organizer_id = c.user_id) t
    where (followers_count, following_count, events_count) <> (followers, following, events)`,
  'upload_usage equals the size of the images of a user, and an avatar is an image of the same user': `
    with images as materialized (select id, user_id, bytes from uploads),
      used as materialized (select user_id, bytes from upload_usage),
      avatars as materialized (select id, avatar_upload from users where avatar_upload is not null)
    select u.user_id, u.bytes, g.bytes as used from
      (select user_id, sum(bytes) as bytes from images group by user_id) u
      full join used g on g.user_id = u.user_id where coalesce(u.bytes, 0) is distinct from g.bytes
    union all select a.id, null, null from avatars a
      left join images u on u.id = a.avatar_upload and u.user_id = a.id where u.id is null`,
  'every relation has a mirrored row with the same values': `
    with relations as materialized (select * from relations)
    select a.* from relations a left join relations b on b.user_id = a.other_id and b.other_id = a.user_id
    where (b.followed_by, b.follows, b.blocked_by, b.blocks) is distinct from
      (a.follows, a.followed_by, a.blocks, a.blocked_by)`,
  'both users of a relation exist': `
    with r as materialized (select * from relations), u as materialized (select id from users)
    select r.* from r left join u on u.id = r.other_id where u.id is null`,
  'contacts and users have the same numbers, addresses and identities': `
    with u as materialized (
      select id, phone as contact from users where phone is not null and guest_of is null
      union all select id, translate(email, '${upper}', '${upper.toLowerCase()}') from users where email is not null and guest_of is null
      union all select id, oidc from users where oidc is not null
    ), c as materialized (select * from contacts)
    select u.id, u.contact, c.contact as listed, c.user_id
    from u full join c on c.contact = u.contact and c.user_id = u.id
    where u.id is null or c.contact is null`,
  'guests and their contacts name each other, and the event of a guest exists': `
    with u as materialized (
      select id, guest_of, coalesce(phone, email) as contact from users where guest_of is not null),
      c as materialized (select * from guest_contacts), e as materialized (select id from events)
    select u.id, u.guest_of, c.user_id, e.id as event_id from u
    full join c on c.user_id = u.id and c.event_id = u.guest_of and c.contact = u.contact
    left join e on e.id = u.guest_of
    where u.id is null or e.id is null or (u.contact is not null and c.user_id is null)`,
  'usernames and users have the same usernames': `
    with u as materialized (select id, username from users where guest_of is null), n as materialized (select * from usernames)
    select u.id, u.username, n.username as listed, n.user_id
    from u full join n on n.username = u.username and n.user_id = u.id
    where u.id is null or n.username is null`,
  'every event has counters': `
    select e.id from events e left join event_counters c on c.event_id = e.id where c.event_id is null`,
  'the organizer of an event exists': `
    with e as materialized (select id, organizer_id from events), u as materialized (select id from users)
    select e.id, e.organizer_id from e left join u on u.id = e.organizer_id where u.id is null`,
  'rsvp_count, going_count and extra_guests_count equal the rows that they count': `
    select * from (
      select c.event_id, c.rsvp_count, c.going_count, c.extra_guests_count,
        (select coalesce(sum(r.extra_guests), 0)::int from rsvps r
          where r.event_id = c.event_id and r.status = 'going') as extra_guests,
        (select count(*)::int from rsvps r where r.event_id = c.event_id) as rsvps,
        (select count(*)::int from rsvps r where r.event_id = c.event_id and r.status = 'going') as going
      from event_counters c) t
    where (rsvp_count, going_count, extra_guests_count) <> (rsvps, going, extra_guests)`,
  'comment_count equals the number of comments, and a reply is to a comment of the same event': `
    select c.event_id, c.comment_count::bigint, count(m.id) from comment_counters c
    left join comments m on m.event_id = c.event_id
    group by c.event_id, c.comment_count having c.comment_count <> count(m.id)
    union all
    select m.event_id, null, null from comments m left join comments p on p.event_id = m.event_id and p.id = m.reply_to
    where m.reply_to is not null and p.id is null
    union all
    select m.event_id, null, null from comments m left join comment_counters c on c.event_id = m.event_id
    where c.event_id is null`,
  'booked_count and waiting_count are exact, and no booking number exceeds last_booking': `
    select * from (
      select c.event_id, c.booked_count, c.waiting_count, c.last_booking,
        (select coalesce(sum(b.seats), 0)::int from bookings b
          where b.event_id = c.event_id and b.status = 'booked') as seats,
        (select count(*)::int from bookings b where b.event_id = c.event_id and b.status = 'waiting') as waiting,
        (select coalesce(max(b.n), 0) from bookings b where b.event_id = c.event_id) as newest
      from event_counters c) t
    where (booked_count, waiting_count) <> (seats, waiting) or newest > last_booking`,
  'the booked seats do not exceed the capacity': `
    select e.id, e.capacity, c.booked_count from events e join event_counters c on c.event_id = e.id
    where e.capacity <> 0 and c.booked_count > e.capacity`,
  'no booking after the first waiting booking is booked': `
    select * from (
      select event_id, max(n) filter (where status = 'booked') as last_booked,
        min(n) filter (where status = 'waiting') as first_waiting
      from bookings group by event_id) t
    where last_booked > first_waiting`,
  'the first waiting booking needs more seats than are free': `
    select * from (
      select distinct on (b.event_id) b.event_id, b.n, b.seats, e.capacity, c.booked_count from bookings b
      join events e on e.id = b.event_id join event_counters c on c.event_id = b.event_id
      where b.status = 'waiting' order by b.event_id, b.n) t
    where capacity = 0 or booked_count + seats <= capacity`,
  'every item has stock, and no item number exceeds last_item': `
    select i.event_id, i.n from items i
    join event_counters c on c.event_id = i.event_id
    left join item_stock s on s.event_id = i.event_id and s.n = i.n
    where s.n is null or i.n > c.last_item`,
  'claimed equals the sum of the claims and does not exceed needed': `
    select * from (
      select s.event_id, s.n, s.needed, s.claimed,
        (select coalesce(sum(c.quantity), 0)::int from claims c where c.event_id = s.event_id and c.n = s.n) as sum
      from item_stock s) t
    where claimed <> sum or claimed > needed`,
  'an unread summary belongs to the organizer, has an id, and names only people whose row exists': `
    with asked as materialized (select coalesce(counted_event_id, subject_id) as event_id, user_id from requests)
    select * from (
      select e.organizer_id, c.unread_of, c.event_id, c.unread_rsvps as unread, c.rsvps_notification_id as id,
        c.rsvps_person_id is not null and not exists (
          select 1 from rsvps r where r.event_id = c.event_id and r.user_id = c.rsvps_person_id) as is_gone
      from event_counters c join events e on e.id = c.event_id
      union all select e.organizer_id, c.unread_of, c.event_id, c.unread_bookings, c.bookings_notification_id,
        c.bookings_person_id is not null and not exists (
          select 1 from bookings b where b.event_id = c.event_id and b.user_id = c.bookings_person_id)
      from event_counters c join events e on e.id = c.event_id
      union all select e.organizer_id, c.unread_of, c.event_id, c.unread_requests, c.requests_notification_id,
        c.requests_person_id is not null and not exists (
          select 1 from asked q where q.event_id = c.event_id and q.user_id = c.requests_person_id)
      from event_counters c join events e on e.id = c.event_id
      union all select e.organizer_id, s.unread_of, s.event_id, s.unread_claims, s.claims_notification_id,
        s.claims_person_id is not null and not exists (
          select 1 from claims c where c.event_id = s.event_id and c.n = s.n and c.user_id = s.claims_person_id)
      from item_stock s join events e on e.id = s.event_id) t
    where is_gone or unread < 0 or unread_of <> organizer_id or (unread > 0 and (unread_of is null or id is null))`,
  'nobody has an RSVP and a request that the organizer has not approved': `
    select q.* from requests q join rsvps r on r.event_id = q.subject_id and r.user_id = q.user_id
    where q.status <> 'approved'
    union all select q.* from requests q join series_rsvps r on r.series_id = q.subject_id and r.user_id = q.user_id
    where q.status <> 'approved'`,
  'what a request is about exists': `
    with subjects as materialized (select id, false as is_of_series from events union all select id, true from series)
    select subject_id, user_id from requests where (subject_id, is_of_series) not in (select id, is_of_series from subjects)`,
  'the person of an RSVP, request, save, claim, booking, comment, announcement or invitation exists': `
    with people as materialized (select id from users), rows as materialized (
      select 'rsvp' as kind, event_id, user_id from rsvps
      union all select 'save', event_id, user_id from saves
      union all select 'claim', event_id, user_id from claims
      union all select 'request', subject_id, user_id from requests
      union all select 'booking', event_id, user_id from bookings
      union all select 'comment', event_id, user_id from comments
      union all select 'series RSVP', series_id, user_id from series_rsvps
      union all select 'series standing', series_id, user_id from series_people
      union all select 'announcement', subject_id, author_id from announcements
      union all select 'inviter', subject_id, inviter_id from invitations
      union all select 'invited', subject_id, user_id from invitations where user_id is not null
      union all select 'guest', subject_id, guest_id from invitations where guest_id is not null
      union all select 'use', subject_id, user_id from invitation_uses)
    select * from rows where user_id not in (select id from people)`,
  'an RSVP of a series is one to a date of a series, at which the person is not absent': `
    select r.event_id, r.user_id from rsvps r join events e on e.id = r.event_id
    left join event_people p on p.event_id = r.event_id and p.user_id = r.user_id
    where r.is_of_series and (e.series_id is null or p.is_absent)`,
  'who is invited, or has answered by an invitation, sees the event': `
    with invited as materialized (
      select subject_id, user_id from invitations where user_id is not null
      union select subject_id, guest_id from invitations where guest_id is not null
      union select subject_id, user_id from invitation_uses),
      standings as materialized (
        select event_id, user_id from event_people where is_invited
        union all select series_id, user_id from series_people where is_invited)
    select i.* from invited i left join standings s on s.event_id = i.subject_id and s.user_id = i.user_id
    where s.event_id is null`,
  'who is invited to a series sees its dates, unless removed there': `
    with invited as materialized (select series_id, user_id from series_people where is_invited),
      dates as materialized (select id, series_id from events where series_id is not null),
      standings as materialized (select event_id, user_id from event_people where is_invited or is_removed)
    select d.id, i.user_id from invited i join dates d on d.series_id = i.series_id
    left join standings s on s.event_id = d.id and s.user_id = i.user_id where s.event_id is null`,
  'what an invitation is to exists': `
    with subjects as materialized (select id, false as is_of_series from events union all select id, true from series)
    select subject_id, id from invitations where (subject_id, is_of_series) not in (select id, is_of_series from subjects)`,
  'the guest of an invitation is one of its event, and each person who has answered by a link is counted': `
    with guests as materialized (select id, guest_of from users where guest_of is not null),
      uses as materialized (
        select subject_id, invitation_id, count(*)::int as people from invitation_uses group by 1, 2),
      invited as materialized (select subject_id, id, guest_id, uses from invitations)
    select i.* from invited i
    left join guests g on g.id = i.guest_id left join uses u on u.subject_id = i.subject_id and u.invitation_id = i.id
    where (i.guest_id is not null and g.guest_of is distinct from i.subject_id)
      or i.uses < coalesce(u.people, 0)`,
  'a removed guest without an account has nothing at the event': `
    with guests as materialized (select id from users where guest_of is not null), removed as materialized (
      select event_id, user_id from event_people where is_removed
        and user_id in (select id from guests)), rows as materialized (
      select 'rsvp' as kind, event_id, user_id from rsvps
      union all select 'claim', event_id, user_id from claims
      union all select 'request', subject_id, user_id from requests
      union all select 'booking', event_id, user_id from bookings
      union all select 'comment', event_id, user_id from comments)
    select r.* from rows r join removed d on d.event_id = r.event_id and d.user_id = r.user_id`,
  'an announcement that was not sent has no recipients, and what is sent is not under way before': `
    select subject_id, id from announcements
    where (status in ('scheduled', 'missed') and (sent_at is not null or recipients is not null or position is not null))
      or (status = 'sent' and sent_at is null)`,
  'what an announcement is about exists': `
    with subjects as materialized (select id, false as is_of_series from events union all select id, true from series)
    select subject_id, id from announcements where (subject_id, is_of_series) not in (select id, is_of_series from subjects)`,
  'the session of a guest is of its event': `
    with guests as materialized (select id, guest_of from users where guest_of is not null),
      opened as materialized (select user_id, id, event_id from sessions)
    select o.* from opened o join guests g on g.id = o.user_id where o.event_id is distinct from g.guest_of`,
  'every conversation has a mirrored row with the same last message': `
    with conversations as materialized (select * from conversations)
    select a.* from conversations a
    left join conversations b on b.user_id = a.other_id and b.other_id = a.user_id
    where b.last_id is distinct from a.last_id`,
  'last_id is the newest message, and unread_count equals the number of received messages after read_id': `
    select * from (
      select c.*,
        (select max(m.id::text)::uuid from messages m where m.user_id = c.user_id and m.other_id = c.other_id) as last,
        (select count(*)::int from messages m where m.user_id = c.user_id and m.other_id = c.other_id
          and not m.is_own and (c.read_id is null or m.id > c.read_id)) as unread
      from conversations c) t
    where last_id is distinct from last or unread_count <> unread`,
  'both participants have an equal copy of every message': `
    with messages as materialized (select * from messages)
    select a.user_id, a.other_id, a.id from messages a
    left join messages b on b.user_id = a.other_id and b.other_id = a.user_id and b.id = a.id
    where (b.is_own, b.text, b.created_at) is distinct from (not a.is_own, a.text, a.created_at)`,
  'the creation times of messages ascend in the order of their ids': `
    select * from (
      select user_id, other_id, id, created_at,
        lag(created_at) over (partition by user_id, other_id order by id) as before from messages) t
    where before >= created_at`,
  'both users of a conversation exist': `
    with c as materialized (select * from conversations), u as materialized (select id from users)
    select c.* from c left join u on u.id = c.other_id where u.id is null`,
  'the event of an import belongs to the organizer of the import, or was deleted': `
    with i as materialized (select * from imports), e as materialized (select id, organizer_id from events)
    select i.* from i join e on e.id = i.event_id where e.organizer_id <> i.organizer_id`,
  'the series of an import belongs to the organizer of the import, or was deleted': `
    with i as materialized (select * from imports), s as materialized (select id, organizer_id from series)
    select i.* from i join s on s.id = i.series_id where s.organizer_id <> i.organizer_id`,
};

/** Throws if a rule is violated, with the rules and the rows. All rules read the same database snapshot. */
export async function assertCounters(sql: Pick<SqlDatabase, 'begin'>): Promise<void> {
  const violations = await sql.begin(async (tx) => {
    const rowsByRule: Record<string, unknown[]> = {};
    for (const [rule, query] of Object.entries(rules)) rowsByRule[rule] = [...(await tx.text(query))];
    const users = await tx<{ id: string; name: string; username: string; search: string }[]>`
      select id, name, username, search from users`;
    rowsByRule['the search text of a user consists of the name and the username'] = users.filter(
      (user) => user.search !== userSearchText(user.name, user.username),
    );
    return Object.entries(rowsByRule).filter(([, rows]) => rows.length > 0);
  }, 'isolation level repeatable read, read only');
  assert.deepEqual(Object.fromEntries(violations), {});
}
