-- The unread notifications of organizers about RSVPs, bookings and claims. The write that causes one counts it in a row
-- that it updates anyway: the counters of the event, or the stock of the item. Notifications and causes of these kinds that
-- exist already are read and delivered as before.

alter table event_counters
  -- The organizer, once another person has responded or booked: then the inbox of the organizer reads the row.
  add column unread_of uuid,
  add column unread_rsvps int not null default 0,
  -- A new id with each increase. Without meaning while nothing is unread.
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
