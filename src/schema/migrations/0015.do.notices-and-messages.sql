-- What guests of an event are notified of: the event before and after each change, and what the organizer writes about it.
create table event_notices (
  event_id uuid not null references events on delete cascade,
  -- Increases with the time.
  id uuid not null,
  kind text not null,
  before jsonb not null,
  after jsonb not null,
  message text,
  created_at timestamptz not null,
  primary key (event_id, id)
);

-- The first notice that a fan-out and a notification are about. Null for kinds without notices.
alter table notification_fan_outs add column since uuid;
-- The first notice of the repetition.
alter table notification_fan_outs add column repeats_since uuid;
alter table notifications add column since uuid;

-- The event from whose page a message was sent. No foreign key: the event may be deleted, and has another key.
alter table messages add column event_id uuid;
