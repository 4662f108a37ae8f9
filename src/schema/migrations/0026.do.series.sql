-- Rules that make events: their occurrences.
create table series (
  id uuid primary key,
  -- A person, who has another distribution key: no foreign key.
  organizer_id uuid not null,
  -- The canonical value of an RRULE, over local times.
  rrule text not null,
  -- Local dates beside those of the rule, those that are left out, and those of deleted occurrences, as `events.series_date`.
  extra_dates text[] not null,
  excluded_dates text[] not null,
  deleted_dates text[] not null,
  -- The first date, and the zone of all of them.
  first_date text not null,
  timezone text not null,
  all_day boolean not null,
  -- By the clocks of the zone, as ISO 8601 durations: how long an occurrence lasts, and how long before its start its answers close.
  length text not null,
  closes_before text,
  -- The fields of new occurrences, and their items.
  fields jsonb not null,
  items jsonb not null,
  status text not null check (status in ('active', 'ended')),
  -- When the next occurrence is to be made; null for none.
  due_at timestamptz,
  created_at timestamptz not null
);
create index series_of_organizer on series (organizer_id, id);
create index series_due on series (due_at) where due_at is not null;

alter table events
  add column series_id uuid,
  -- The local start that the rule gives. The lock of the series guards that it has each date once.
  add column series_date text,
  -- The fields that were changed for this occurrence alone.
  add column own_fields text[] not null default '{}';
create index events_of_series on events (series_id, start_at, id) where series_id is not null;

-- The events that one operation changed: a guest of several is notified of the first.
alter table notification_fan_outs add column among uuid[];
