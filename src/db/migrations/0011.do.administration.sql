-- Administration: suspended accounts and what is hidden with them, flags, reports, and who did it.

-- Null: not suspended.
alter table users add column suspended_at timestamptz;
-- To count those who can act as admins, and to list people by age.
create index users_admins on users (id) where role = 'admin';
create index users_by_age on users (created_at, id);
create index users_suspended on users (created_at, id) where suspended_at is not null;

-- Hidden with its organizer: there for admins alone.
alter table events add column hidden boolean not null default false;

-- What lists may show, again; each index holds only that.
create index events_listed_by_start on events (start_at, id) include (end_at, lat, lng, category, organizer_id)
  where visibility = 'public' and status = 'scheduled' and not hidden;
create index events_listed_by_category on events (category, start_at, id)
  where visibility = 'public' and status = 'scheduled' and not hidden;
create index events_listed_by_span on events using gist (tstzrange(start_at, end_at))
  where visibility = 'public' and status = 'scheduled' and not hidden;
create index events_listed_by_cell on events (cell, start_at, id) include (lat, lng, end_at, category, organizer_id)
  where visibility = 'public' and status = 'scheduled' and not hidden;
create index events_listed_by_word on events using gin (search)
  where visibility = 'public' and status = 'scheduled' and not hidden;
drop index events_by_start, events_by_category, events_by_span, events_by_cell, events_by_word;
alter index events_listed_by_start rename to events_by_start;
alter index events_listed_by_category rename to events_by_category;
alter index events_listed_by_span rename to events_by_span;
alter index events_listed_by_cell rename to events_by_cell;
alter index events_listed_by_word rename to events_by_word;

-- Flags that were switched at run time; one that is not here stands as the configuration has it.
create table flags (
  name text primary key,
  enabled boolean not null,
  changed_at timestamptz not null
);

-- What people report to the admins, keyed by who reports: their account's deletion takes it along.
create table reports (
  reporter_id uuid not null references users on delete cascade,
  id uuid not null,
  subject_type text not null check (subject_type in ('event', 'item', 'message', 'user')),
  subject_id text not null,
  -- Whose it is: their account's deletion takes the report along too, and nothing else does.
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

-- The admin who did it to somebody else; null for people themselves and for commands.
alter table audit add column by_id uuid;
create index audit_by_admin on audit (by_id) where by_id is not null;
