-- Notifications. A write stores what people are to be notified of in the outbox (notification_causes and
-- notification_fan_outs) in its own transaction; a job turns it into notifications.

-- What one person is to be notified of. Keyed by that person. Rows are only inserted and deleted, so writers never
-- wait for each other here. No foreign key: the job ignores people who no longer exist.
create table notification_causes (
  user_id uuid not null,
  kind text not null,
  -- The event or the person that the notification is about.
  subject_id uuid not null,
  id uuid not null,
  -- Who caused it, and by how much each of them changes the count of the notification; of equal length.
  actor_ids uuid[] not null,
  amounts int[] not null,
  primary key (user_id, kind, subject_id, id)
);

-- Events of which all guests are to be notified. Keyed by the event's id.
create table notification_fan_outs (
  event_id uuid not null references events on delete cascade,
  kind text not null,
  -- The guests with this id or a higher one are still to be notified.
  position uuid not null,
  -- The event changed again after the first guests were notified: all guests are notified once more.
  is_repeated boolean not null,
  primary key (event_id, kind)
);

-- The events whose guests were reminded, and the start of which they were reminded.
create table event_reminders (
  event_id uuid primary key references events on delete cascade,
  start_at timestamptz not null
);
-- The events that can be reminded of.
create index events_by_reminder on events (start_at)
  where status = 'scheduled' and not hidden and visibility <> 'private';

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

-- The kinds that a person has set to something else than the default.
create table notification_settings (
  user_id uuid not null references users on delete cascade,
  kind text not null,
  level text not null,
  primary key (user_id, kind)
);
