-- What a person has created on their latest day, for the daily quotas. At most one row for each person and
-- kind. Unlogged, as message_counts: after a crash of the database the day begins anew.
create unlogged table daily_counts (
  user_id uuid not null references users on delete cascade,
  kind text not null check (kind in ('events', 'items', 'follows')),
  -- In UTC.
  day date not null,
  used int not null check (used > 0),
  primary key (user_id, kind)
);
