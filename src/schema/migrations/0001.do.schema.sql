-- The tables of Potluck, by subject:
--   people, sessions and codes, audit, events, attendance, items, messages, notifications, web push, uploads, calendars
--   and imports, administration, limits, change log, cluster.
--
-- On a cluster with Citus, each table is distributed by the column that src/db/distribution.ts declares. Primary keys,
-- unique indexes and foreign keys contain this column, so that a node checks them alone. A table whose rows belong to
-- people and to events is keyed by one of the two; code deletes the rows that the foreign keys do not reach.

create extension if not exists pg_trgm;

---- People -----------------------------------------------------------------------------------------------------------

create table users (
  id uuid primary key,
  -- E.164.
  phone text,
  -- A mail address, as it was typed.
  email text,
  -- An identity at an OpenID Connect provider: the issuer, a space, the subject.
  oidc text,
  name text not null,
  username text not null,
  bio text not null,
  city text not null,
  -- Of mails; null until the first sign-in.
  language text,
  -- Whether guests can reply to mails about the person's events, and so see the address.
  mail_replies boolean not null default false,
  is_private boolean not null,
  role text not null check (role in ('user', 'admin')),
  -- The avatar, which is an upload of the person. Null: the generated placeholder image.
  avatar_upload uuid,
  -- Null: not suspended.
  suspended_at timestamptz,
  -- What the person reads about the suspension. Empty if the admin gave no reason, and while not suspended.
  suspension_reason text not null default '',
  -- ' ' before each folded word of name and username, so that '% wor%' finds starts of words.
  search text not null,
  -- Raised with each change of the row: the change log tells servers which version their caches need.
  version bigint not null default 0,
  created_at timestamptz not null,
  constraint users_contact check (phone is not null or email is not null or oidc is not null)
);
create index users_search on users using gin (search gin_trgm_ops);
-- To count the admins who can act, and to list people by age.
create index users_admins on users (id) where role = 'admin';
create index users_by_age on users (created_at, id);
create index users_suspended on users (created_at, id) where suspended_at is not null;

-- Contacts and usernames are unique. A unique index must contain the distribution column, so each has its own table. A
-- contact is a phone number, a mail address in the spelling that all its spellings have in common, or an identity.
create table contacts (contact text primary key, user_id uuid not null);
create table usernames (username text primary key, user_id uuid not null);

-- Separate from users, so that a follow does not rewrite the wide, indexed row.
create table user_counters (
  user_id uuid primary key references users on delete cascade,
  followers_count int not null check (followers_count >= 0),
  following_count int not null check (following_count >= 0),
  -- The public, scheduled events that the person organizes.
  events_count int not null check (events_count >= 0)
);

-- Follows and blocks between two people. Each pair has two rows, one for each person, so that the rows of the viewer
-- alone contain both directions.
create table relations (
  user_id uuid not null references users on delete cascade,
  other_id uuid not null,
  follows boolean not null,
  followed_by boolean not null,
  blocks boolean not null,
  blocked_by boolean not null,
  primary key (user_id, other_id),
  check (user_id <> other_id),
  check (not (blocks and (follows or followed_by)) and not (blocked_by and (follows or followed_by)))
);
-- For the feed and for lists of people: a page reads only the rows that it shows.
create index relations_follows on relations (user_id, other_id) include (followed_by) where follows;
create index relations_followers on relations (user_id, other_id) where followed_by;
create index relations_blocks on relations (user_id, other_id) where blocks or blocked_by;

---- Sessions and codes -----------------------------------------------------------------------------------------------

-- The devices on which a person is signed in. The database has SHA-256 hashes of tokens, and no token.
create table sessions (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  access_hash bytea not null,
  -- Null for a browser session. It has one token, in a cookie, whose hash is access_hash.
  refresh_hash bytea,
  -- The refresh token that was exchanged for the current pair. For ten seconds, it returns that pair again.
  spent_hash bytea,
  refreshed_at timestamptz not null,
  access_expires_at timestamptz not null,
  refresh_expires_at timestamptz not null,
  -- The session ends at this time, no matter how often it is refreshed.
  ends_at timestamptz not null,
  user_agent text not null,
  -- As users.version.
  version bigint not null default 0,
  created_at timestamptz not null,
  primary key (user_id, id)
);

-- The hashes of the tokens whose sessions a suspension ended. They authenticate nothing: their senders learn why they are
-- signed out. Deleted when the account is restored.
create table suspended_tokens (
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null,
  primary key (user_id, token_hash)
);

-- The newest code of each requester for a contact and purpose. Codes and wrong tries belong to the device or client
-- network that requests and enters them, so that other people neither replace the code of a contact's owner nor use up
-- the owner's tries.
create table codes (
  -- A keyed hash of the contact.
  contact_hash bytea not null,
  purpose text not null check (purpose in ('sign_in', 'delete_account', 'confirm_contact')),
  -- A keyed hash of the contact and of the device, network or account.
  requester bytea not null,
  -- How the server knew the requester: not at all, by its network, or by its device.
  trust text not null constraint codes_trust check (trust in ('unknown', 'network', 'device')),
  -- Null after the code was used.
  code_hash bytea,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (contact_hash, purpose, requester)
);

-- The wrong tries of the last 24 hours.
create table code_tries (
  contact_hash bytea not null,
  id uuid not null,
  purpose text not null check (purpose in ('sign_in', 'delete_account', 'confirm_contact')),
  requester bytea not null,
  -- The daily budget that the try counts against.
  budget text not null check (budget in ('unknown', 'network', 'device')),
  at timestamptz not null,
  primary key (contact_hash, id)
);

-- The networks from which a contact was signed in, as keyed hashes that differ for each contact: at most ten of a contact.
create table known_networks (
  contact_hash bytea not null,
  network bytea not null,
  signed_in_at timestamptz not null,
  primary key (contact_hash, network)
);
create index known_networks_by_time on known_networks (signed_in_at);

-- The number of messages that were sent in a day, by scope: a contact, a network, a prefix, a country, and all.
create table code_sends (
  scope text not null,
  day date not null,
  sent int not null,
  primary key (scope, day)
);

-- The contacts to which accounts have been sent a code, until they confirm them: the newest of each kind.
create table contact_changes (
  user_id uuid not null references users on delete cascade,
  kind text not null check (kind in ('phone', 'email')),
  -- In the form of the column of users.
  value text not null,
  requested_at timestamptz not null,
  primary key (user_id, kind)
);
create index contact_changes_by_time on contact_changes (requested_at);

---- Audit ------------------------------------------------------------------------------------------------------------

-- What happened to accounts and sessions. Rows are inserted in the transaction that they report on, and change only
-- when their account is deleted: then they no longer contain anything of the person. Partitioned by the time in `id`.
create table audit (
  -- A keyed hash of the person's id, or of the contact if no one was signed in.
  who bytea not null,
  id uuid not null,
  at timestamptz not null,
  what text not null,
  -- Null after the account was deleted, and for a contact without an account.
  user_id uuid,
  -- The admin who did it to another person; null for people themselves and for commands.
  by_id uuid,
  -- The truncated network of the caller; null if a command did it, and after the account was deleted.
  address text,
  detail text not null,
  primary key (who, id)
) partition by range (id);
create index audit_by_time on audit (at);
create index audit_by_admin on audit (by_id) where by_id is not null;
create index audit_by_action on audit (what, at);

---- Events -----------------------------------------------------------------------------------------------------------

-- The great-circle distance in km on a sphere of 6,371 km (haversine), correct at the poles and across the antimeridian.
-- PostgreSQL reports an underflow for results that are too small for a float; 1e-99 degrees prevent it.
create function distance_km(lat1 float8, lng1 float8, lat2 float8, lng2 float8) returns float8
  language sql immutable parallel safe
  return 2 * 6371 * asin(sqrt(least(1,
    power(sin(radians(abs(lat2 - lat1) + 1e-99) / 2), 2)
    + cos(radians(abs(lat1) + 1e-99)) * cos(radians(abs(lat2) + 1e-99))
    * power(sin(radians(abs(lng2 - lng1) + 1e-99) / 2), 2))));

create table events (
  id uuid primary key,
  -- A person, who has another distribution key than the event: no foreign key.
  organizer_id uuid not null,
  title text not null,
  description text not null,
  -- Null: the generated cover.
  cover_url text,
  -- Null: the id and the category decide.
  cover_theme text,
  -- What stays visible where the image is cropped.
  cover_focus text not null default 'center',
  start_at timestamptz not null,
  end_at timestamptz not null,
  -- From the start of a local day to the start of a later one, in the time zone of the event.
  all_day boolean not null default false,
  timezone text not null,
  address text not null,
  lat float8 not null check (lat between -90 and 90),
  lng float8 not null check (lng between -180 and 180),
  -- Whether they are the coordinates of the address; otherwise, of its town.
  is_exact boolean not null default true,
  -- The 0.25° grid cell of (lat, lng), which src/lib/grid-cells.ts computes.
  cell int not null,
  category text not null,
  template text not null,
  price numeric(9, 2) not null check (price >= 0),
  -- Whether the organizer stated the price: then a price of 0 means free.
  is_price_known boolean not null default false,
  currency text not null,
  -- 0: no limit.
  capacity int not null check (capacity >= 0),
  visibility text not null check (visibility in ('public', 'unlisted', 'private')),
  status text not null check (status in ('scheduled', 'cancelled')),
  -- Hidden while its organizer is suspended: only admins see it.
  hidden boolean not null default false,
  enabled_modules text[] not null,
  guest_list_visibility text not null default 'organizer'
    check (guest_list_visibility in ('organizer', 'guests', 'everyone')),
  claimant_visibility text not null default 'organizer'
    check (claimant_visibility in ('organizer', 'guests', 'everyone')),
  -- Words of title (weight A), address (B) and description (C), folded by the server.
  search tsvector not null,
  -- Raised with each change that a calendar shows: calendar programs recognize a newer version by it.
  sequence int not null default 0,
  -- As users.version.
  version bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (end_at > start_at)
);

-- Each index for lists contains only the events that lists may show.
create index events_by_start on events (start_at, id) include (end_at, lat, lng, category, organizer_id)
  where visibility = 'public' and status = 'scheduled' and not hidden;
create index events_by_category on events (category, start_at, id)
  where visibility = 'public' and status = 'scheduled' and not hidden;
-- For events that have begun and not ended at a given time.
create index events_by_span on events using gist (tstzrange(start_at, end_at))
  where visibility = 'public' and status = 'scheduled' and not hidden;
create index events_by_cell on events (cell, start_at, id) include (lat, lng, end_at, category, organizer_id)
  where visibility = 'public' and status = 'scheduled' and not hidden;
create index events_by_word on events using gin (search)
  where visibility = 'public' and status = 'scheduled' and not hidden;
create index events_by_organizer on events (organizer_id, start_at, id);
-- The events of which guests can be reminded.
create index events_by_reminder on events (start_at)
  where status = 'scheduled' and not hidden and visibility <> 'private';

-- Separate from events, so that an RSVP does not rewrite the wide, indexed row, and so that the key-share lock that its
-- foreign key takes on the event does not conflict with the count.
create table event_counters (
  event_id uuid primary key references events on delete cascade,
  rsvp_count int not null check (rsvp_count >= going_count),
  going_count int not null check (going_count >= 0),
  -- The extra guests of the people who are going.
  extra_guests_count int not null default 0 check (extra_guests_count >= 0),
  -- Booked seats, and people on the waitlist. A transaction that creates, changes or cancels a booking locks this row
  -- first: it is the queue.
  booked_count int not null default 0 check (booked_count >= 0),
  waiting_count int not null default 0 check (waiting_count >= 0),
  -- The n of the newest item and booking. They never decrease, so the id of an item is never used again.
  last_item int not null,
  last_booking int not null default 0,
  -- Unread notifications of the organizer about RSVPs and bookings. The write that causes one updates this row anyway.
  -- The organizer, as soon as another person has responded or booked: then the inbox of the organizer reads the row.
  unread_of uuid,
  unread_rsvps int not null default 0,
  -- A new id with each increase. Without meaning while nothing is unread.
  rsvps_notification_id uuid,
  -- The person who responded last, who always has an RSVP to the event.
  rsvps_person_id uuid,
  unread_bookings int not null default 0,
  bookings_notification_id uuid,
  bookings_person_id uuid,
  -- As users.version. The version of an event's record is the sum of both.
  version bigint not null default 0
);
create index event_counters_unread on event_counters (unread_of) where unread_of is not null;

---- Attendance -------------------------------------------------------------------------------------------------------

create table rsvps (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null,
  status text not null check (status in ('going', 'interested')),
  -- The people whom the guest brings, and whether other people do not see the guest. Null: never set, which means 0 and
  -- false. In the row of an upsert, null means that the request leaves the value as it is.
  extra_guests smallint check (extra_guests between 0 and 10),
  is_hidden boolean,
  created_at timestamptz not null,
  primary key (event_id, user_id)
);
-- The feed reads the RSVPs of followed people from this index alone, and leaves out the hidden ones.
create index rsvps_of_user on rsvps (user_id) include (event_id, status, is_hidden);
-- The guest list: a page reads only the rows that it shows.
create index rsvps_by_status on rsvps (event_id, status, user_id);

create table saves (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null,
  created_at timestamptz not null,
  primary key (event_id, user_id)
);
create index saves_by_user on saves (user_id);

-- Booked seats and the waitlist.
create table bookings (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null,
  id uuid not null,
  -- The place in the queue. The row of the counters assigns it, because the clocks of two servers differ.
  n int not null,
  seats int not null check (seats between 1 and 20),
  status text not null check (status in ('booked', 'waiting')),
  created_at timestamptz not null,
  primary key (event_id, user_id),
  unique (event_id, n)
);
-- The waitlist in its order, and the number of people before a person.
create index bookings_waiting on bookings (event_id, n) where status = 'waiting';
create index bookings_by_user on bookings (user_id);

---- Items ------------------------------------------------------------------------------------------------------------

-- Bring-lists and wish-lists. The public id of an item is `<event id>.<n>`.
create table items (
  event_id uuid not null references events on delete cascade,
  n int not null,
  kind text not null check (kind in ('bring', 'wish')),
  title text not null,
  -- Null: not set.
  description text,
  emoji text not null,
  image_url text,
  link text,
  created_at timestamptz not null,
  primary key (event_id, n)
);

-- The row that all claims of the item lock. The check `never_oversold` is the last guard against overselling.
create table item_stock (
  event_id uuid not null,
  n int not null,
  needed int not null,
  claimed int not null,
  -- Rises with each write of claims: also with those that leave the quantity as it is.
  claims_version int not null default 0,
  -- Unread notifications of the organizer about claims, as in event_counters.
  unread_of uuid,
  unread_claims int not null default 0,
  claims_notification_id uuid,
  claims_person_id uuid,
  primary key (event_id, n),
  foreign key (event_id, n) references items on delete cascade,
  constraint never_oversold check (claimed between 0 and needed)
);
create index item_stock_unread on item_stock (unread_of) where unread_of is not null;

create table claims (
  event_id uuid not null,
  n int not null,
  user_id uuid not null,
  id uuid not null,
  quantity int not null check (quantity >= 1),
  -- What exactly the person brings.
  note text,
  created_at timestamptz not null,
  primary key (event_id, n, user_id),
  foreign key (event_id, n) references items on delete cascade
);
create index claims_by_user on claims (user_id);

---- Messages ---------------------------------------------------------------------------------------------------------

-- Each of the two people has a copy of the conversation and of its messages, so that reading by one person does not
-- change the rows of the other. One transaction writes both copies.
create table conversations (
  user_id uuid not null references users on delete cascade,
  other_id uuid not null,
  -- The newest message. Ids increase within a conversation, even if clocks do not, and contain the time.
  last_id uuid not null,
  -- The newest message when the person last marked the conversation as read; null: never.
  read_id uuid,
  -- Messages of the other person above read_id.
  unread_count int not null check (unread_count >= 0),
  primary key (user_id, other_id),
  check (user_id <> other_id)
);
create index conversations_by_last on conversations (user_id, last_id);

-- Partitioned by the time in `id`.
create table messages (
  user_id uuid not null,
  other_id uuid not null,
  -- The same in both copies.
  id uuid not null,
  -- Whether user_id wrote the message, and not other_id.
  is_own boolean not null,
  text text not null,
  created_at timestamptz not null,
  primary key (user_id, other_id, id),
  foreign key (user_id, other_id) references conversations on delete cascade
) partition by range (id);

-- The first partitions of audit and messages: all ids of before the next month, and all later ids, which a job of the
-- servers divides (src/db/partitions.ts). Ids are UUIDs of version 7. They begin with the time, so ranges of ids are
-- ranges of time.
do $$
declare
  next_month timestamptz := (date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC';
  first_id uuid := rpad(lpad(to_hex((extract(epoch from next_month) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  name text;
begin
  foreach name in array array['audit', 'messages'] loop
    execute format('create table %I partition of %I for values from (minvalue) to (%L)', name || '_before', name, first_id);
    execute format('create table %I partition of %I for values from (%L) to (maxvalue)', name || '_after', name, first_id);
  end loop;
end $$;

---- Notifications ----------------------------------------------------------------------------------------------------

-- The outbox: a write stores what people are to be notified of in notification_causes and notification_fan_outs, in its
-- own transaction. A job turns it into notifications.

-- What one person is to be notified of. Rows are only inserted and deleted, so writers never wait for each other here.
-- No foreign key: the job ignores people who no longer exist.
create table notification_causes (
  user_id uuid not null,
  id uuid not null,
  kind text not null,
  -- The event or the person that the notification is about.
  subject_id uuid not null,
  -- The person who caused it.
  actor_id uuid not null,
  -- By how much the count of the notification changes.
  amount int not null,
  primary key (user_id, id)
);

-- Events of which many people are to be notified.
create table notification_fan_outs (
  event_id uuid not null references events on delete cascade,
  kind text not null,
  -- The people with this id or a higher one are still to be notified.
  position uuid not null,
  -- The event changed again after the first people were notified: all are notified once more.
  is_repeated boolean not null,
  primary key (event_id, kind)
);

-- The events whose guests were reminded, and the start of which they were reminded.
create table event_reminders (
  event_id uuid primary key references events on delete cascade,
  start_at timestamptz not null
);

-- The inboxes. Keyed by the recipient.
create table notifications (
  user_id uuid not null references users on delete cascade,
  -- A newer cause gives an unread notification a new id, so the ids sort by time.
  id uuid not null,
  kind text not null,
  subject_id uuid not null,
  -- The person who caused it last; null if their account is deleted.
  person_id uuid,
  count int not null,
  created_at timestamptz not null,
  read_at timestamptz,
  primary key (user_id, id)
);
-- At most one unread notification of each kind and subject.
create unique index notifications_unread on notifications (user_id, kind, subject_id) where read_at is null;
-- For the deletion of an event.
create index notifications_by_subject on notifications (subject_id);
create index notifications_by_person on notifications (person_id) where person_id is not null;
create index notifications_by_age on notifications (created_at);

-- The kinds that a person has set to another level than the default.
create table notification_settings (
  user_id uuid not null references users on delete cascade,
  kind text not null,
  level text not null,
  primary key (user_id, kind)
);
-- For the daily mails of organizers.
create index notification_settings_mailed on notification_settings (user_id) where level in ('mail', 'all');

---- Web push ---------------------------------------------------------------------------------------------------------

-- The browsers to which the notifications of a person are sent.
create table push_subscriptions (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  -- The subscription ends with the session of the browser, so a browser that is signed out gets nothing.
  session_id uuid not null,
  -- The address at the browser's push service, and its hash to find it by.
  endpoint text not null,
  endpoint_hash bytea not null,
  -- The browser's public key and secret, in base64url.
  p256dh text not null,
  auth text not null,
  created_at timestamptz not null,
  primary key (user_id, id),
  unique (user_id, session_id),
  foreign key (user_id, session_id) references sessions on delete cascade
);
create index push_subscriptions_by_endpoint on push_subscriptions (endpoint_hash);

-- The pushes that are still to be sent. A row is deleted before its push is sent, and inserted again if the push service
-- asks to retry.
create table push_deliveries (
  user_id uuid not null,
  notification_id uuid not null,
  subscription_id uuid not null,
  -- Of a push about a summary (event_counters, item_stock), whose id changes while it is unread: what it is about.
  kind text,
  subject_id uuid,
  -- Failed attempts so far.
  attempts int not null,
  due_at timestamptz not null,
  primary key (user_id, notification_id, subscription_id),
  foreign key (user_id, subscription_id) references push_subscriptions on delete cascade
);
create index push_deliveries_by_time on push_deliveries (due_at);
-- For the foreign key.
create index push_deliveries_by_subscription on push_deliveries (user_id, subscription_id);

---- Mails ------------------------------------------------------------------------------------------------------------

-- The mails to people, from the transaction that causes one until some time after it was sent or failed. A server takes a
-- queued mail by moving due_at to the end of its lease (src/mail/mails.ts).
create table mails (
  -- The recipient.
  user_id uuid not null,
  -- Also the Message-ID, so that a second copy can be recognized.
  id uuid not null,
  kind text not null,
  subject_id uuid not null,
  -- The person who caused it.
  source_id uuid not null,
  address text not null,
  language text not null,
  state text not null check (state in ('queued', 'sent', 'failed', 'suppressed')),
  -- The order among queued mails: persons who cause mails take turns.
  turn int not null,
  attempts int not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  -- When the mail server refused this mail for the first time. Null while only the connection, the password or the sender failed.
  refused_at timestamptz,
  ended_at timestamptz,
  -- The last words of the mail server.
  reply text not null default '',
  primary key (user_id, id),
  constraint mails_ended check ((state = 'queued') = (ended_at is null))
);
-- Mails that say the same, and that no server has taken, are one.
create unique index mails_unsent on mails (user_id, kind, subject_id, address) where state = 'queued' and attempts = 0;
create index mails_by_turn on mails (turn, due_at) where state = 'queued';
create index mails_by_source on mails (source_id, turn) where state = 'queued';
create index mails_by_id on mails (id);
create index mails_by_state on mails (state, id);
create index mails_by_end on mails (ended_at) where ended_at is not null;
-- For the deletion of what a mail is about, and the counts of an event.
create index mails_by_subject on mails (subject_id, kind, state);

-- Addresses that a mail server refused for good, as keyed hashes. Their owners confirm them again.
create table suppressed_addresses (
  address_hash bytea primary key,
  since timestamptz not null
);

-- How many mails all servers have sent in each minute of the last hour.
create table mail_counts (
  minute timestamptz primary key,
  mails int not null check (mails >= 0)
);

---- Uploads ----------------------------------------------------------------------------------------------------------

-- Images. Their contents are files, or objects in a bucket, named by the id.
create table uploads (
  id uuid primary key,
  user_id uuid not null,
  width int not null check (width > 0),
  height int not null check (height > 0),
  bytes int not null check (bytes > 0),
  created_at timestamptz not null
);
create index uploads_by_user on uploads (user_id);

-- The number of uploads of a person on their latest day, in UTC, and the bytes of all uploads that exist.
create table upload_usage (
  user_id uuid primary key references users on delete cascade,
  day date not null,
  today int not null check (today > 0),
  bytes bigint not null check (bytes >= 0)
);

-- Files that may exist without a row of uploads: before a file is written, and after its row was deleted. A job deletes
-- them after `due`. The rows name no person.
create table loose_files (
  id uuid primary key,
  due timestamptz not null
);
create index loose_files_by_due on loose_files (due);

---- Calendars and imports --------------------------------------------------------------------------------------------

-- The secret address of a person's own calendar. Each person has at most one, and the database has its SHA-256 hash.
create table calendars (
  user_id uuid primary key references users on delete cascade,
  secret_hash bytea not null,
  created_at timestamptz not null
);

-- The UIDs of imported calendar entries by organizer: a repeated import finds the events that it created.
create table imports (
  organizer_id uuid not null references users on delete cascade,
  uid text not null,
  event_id uuid not null,
  primary key (organizer_id, uid)
);
create index imports_by_event on imports (event_id);

---- Administration ---------------------------------------------------------------------------------------------------

-- Flags that were switched at run time. A flag without a row has the value of the configuration.
create table flags (
  name text primary key,
  enabled boolean not null,
  changed_at timestamptz not null
);

-- Reports to the admins. Keyed by the person who reports, whose deletion deletes them.
create table reports (
  reporter_id uuid not null references users on delete cascade,
  id uuid not null,
  subject_type text not null check (subject_type in ('event', 'item', 'message', 'user')),
  subject_id text not null,
  -- The owner of the subject. The report is deleted with this account too, but not with the subject alone.
  about_id uuid not null,
  reason text not null,
  text text not null,
  status text not null check (status in ('open', 'resolved')),
  note text not null,
  created_at timestamptz not null,
  resolved_at timestamptz,
  primary key (reporter_id, id),
  unique (reporter_id, subject_type, subject_id)
);
create index reports_by_age on reports (created_at, id);
create index reports_by_status on reports (status, created_at, id);
create index reports_by_id on reports (id);
create index reports_about on reports (about_id);

---- Limits -----------------------------------------------------------------------------------------------------------

-- The counts are unlogged: after a crash of the database, the minute or day begins anew. Backups do not contain them.

-- How many requests a caller made in a minute, as far as servers have told each other.
create unlogged table request_counts (
  -- A keyed hash of the address.
  caller text not null,
  minute timestamptz not null,
  requests int not null,
  primary key (caller, minute)
);

-- How many messages a person has sent since a time that is at most a minute ago.
create unlogged table message_counts (
  user_id uuid primary key references users on delete cascade,
  since timestamptz not null,
  sent int not null
);

-- What a person has created on their latest day, for the daily quotas. At most one row for each person and kind.
create unlogged table daily_counts (
  user_id uuid not null references users on delete cascade,
  kind text not null check (kind in ('events', 'items', 'follows')),
  -- In UTC.
  day date not null,
  used int not null check (used > 0),
  primary key (user_id, kind)
);

-- Responses to requests with an Idempotency-Key. For a day, a repeated request gets the stored response. The
-- transaction that a response reports on stores it.
create table idempotency_keys (
  user_id uuid not null references users on delete cascade,
  -- Keyed hashes of the key and of the request.
  key_hash bytea not null,
  request_hash bytea not null,
  -- Encrypted with a key that is made of the idempotency key, which the database does not have.
  answer bytea not null,
  created_at timestamptz not null,
  primary key (user_id, key_hash)
);
create index idempotency_keys_by_time on idempotency_keys (created_at);

---- Change log -------------------------------------------------------------------------------------------------------

-- The changes of the data that servers cache, in an order that every server can follow. Shards only spread the writers
-- over several rows.
create table change_shards (shard int primary key, version bigint not null);
insert into change_shards select shard, 0 from generate_series(0, 15) shard;

-- Inserted in the transaction that raises the version of its shard, so versions have no gaps and follow the commits.
-- Rows are deleted after five minutes.
create table changes (
  shard int not null,
  version bigint not null,
  -- Hashes of the ids of the changed events, people and sessions. Only those who know an id can recognize its hash.
  records text[] not null,
  -- Of each of `records`: eight times its version after the change, plus the number of its kind; null for a deleted record.
  versions bigint[],
  -- Of changes with places in lists, for each of `records`: twice the version of the row in `events`, plus 1 if lists show
  -- the event; null for a deleted event and for other records.
  listings bigint[],
  -- The places and start days, before and after the change, of the events that lists show. Days are counted in UTC from
  -- 1970-01-01.
  cells int[] not null,
  days int[] not null,
  at timestamptz not null,
  primary key (shard, version)
);
create index changes_by_time on changes (at);

---- Cluster ----------------------------------------------------------------------------------------------------------

-- The start times of the primaries that servers with replicas have written to. A replica that has the row of the present
-- primary follows it: after a failover, a replica of the former primary may have commits that were lost.
create table database_instances (
  started_at text primary key
);

-- Accounts that were deleted a few minutes ago. On a cluster, rows that a transaction of the person wrote on another node
-- can become visible after the deletion; sweeps delete them. On one PostgreSQL, sweeps find nothing.
create table deleted_accounts (
  id uuid primary key,
  -- What a sweep must know to find rows of the person, encrypted with the server's key.
  sealed bytea not null,
  -- The successful sweeps in time.
  sweeps int not null,
  due_at timestamptz not null
);
