-- The unread notifications of organizers about RSVPs, bookings and claims. The write that causes one counts it in a row
-- that it updates anyway: the counters of the event, or the stock of the item.

alter table event_counters
  -- The organizer, once another person has responded or booked: then the inbox of the organizer reads the row.
  add column unread_of uuid,
  add column unread_rsvps int not null default 0,
  -- The notification has a new id with each increase. Both ids are null if nothing is unread or was taken back.
  add column rsvps_notification_id uuid,
  -- Who responded last; always a person with an RSVP to the event.
  add column rsvps_person_id uuid,
  add column unread_bookings int not null default 0,
  add column bookings_notification_id uuid,
  add column bookings_person_id uuid;
create index event_counters_unread on event_counters (unread_of) where unread_of is not null;

alter table item_stock
  add column unread_of uuid,
  add column unread_claims int not null default 0,
  add column claims_notification_id uuid,
  add column claims_person_id uuid;
create index item_stock_unread on item_stock (unread_of) where unread_of is not null;

-- Of a push about a summary, whose id changes while it is unread: what it is about.
alter table push_deliveries add column kind text, add column subject_id uuid;

create temporary table summaries on commit drop as
select user_id, kind, subject_id, sum(count)::int as count, max(id::text)::uuid as id
from (
  select user_id, kind, subject_id, count, id from notifications where read_at is null
  union all
  select user_id, kind, subject_id, (select sum(amount) from unnest(amounts) amount), id from notification_causes
) n
where kind in ('rsvps', 'claims', 'bookings')
group by user_id, kind, subject_id
having sum(count) > 0;

update event_counters c set unread_of = s.user_id, unread_rsvps = s.count, rsvps_notification_id = s.id
from summaries s where s.kind = 'rsvps' and s.subject_id = c.event_id;
update event_counters c set unread_of = s.user_id, unread_bookings = s.count, bookings_notification_id = s.id
from summaries s where s.kind = 'bookings' and s.subject_id = c.event_id;
-- Which items they were about is not known any more.
update item_stock i set unread_of = s.user_id, unread_claims = s.count, claims_notification_id = s.id
from summaries s
where s.kind = 'claims' and s.subject_id = i.event_id
  and i.n = (select min(n) from item_stock where event_id = s.subject_id);
delete from push_deliveries d using notifications n
where n.user_id = d.user_id and n.id = d.notification_id and n.read_at is null
  and n.kind in ('rsvps', 'claims', 'bookings');
delete from notifications where read_at is null and kind in ('rsvps', 'claims', 'bookings');
delete from notification_causes where kind in ('rsvps', 'claims', 'bookings');
