-- What calendar programs tell a newer version of an event by: raised by every change of what a calendar shows.
alter table events add column sequence int not null default 0;

-- The secret address of a person's own calendar. There is one at a time, and only its SHA-256 is here.
create table calendars (
  user_id uuid primary key references users on delete cascade,
  secret_hash bytea not null,
  created_at timestamptz not null
);
