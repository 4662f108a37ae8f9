-- The RSVPs of people to all dates of a series.
create table series_rsvps (
  series_id uuid not null references series on delete cascade,
  user_id uuid not null,
  -- As the columns of `rsvps`.
  status text not null constraint series_rsvps_status check (status in ('going', 'interested')),
  extra_guests smallint not null constraint series_rsvps_extra_guests check (extra_guests between 0 and 10),
  is_hidden boolean not null,
  created_at timestamptz not null,
  primary key (series_id, user_id)
);
create index series_rsvps_of_user on series_rsvps (user_id);

-- What was decided about people at all dates of a series. New dates have it in `event_people`.
create table series_people (
  series_id uuid not null references series on delete cascade,
  user_id uuid not null,
  is_invited boolean not null default false,
  is_approved boolean not null default false,
  is_removed boolean not null default false,
  primary key (series_id, user_id)
);
create index series_people_of_user on series_people (user_id);

alter table rsvps
  -- True if the RSVP comes from one to the series. Null for an answer to the event itself, which keeps it.
  add column is_of_series boolean,
  -- True if the RSVP did not count among what the organizer has not read.
  add column is_uncounted boolean;

-- The person answered a date of a series with no RSVP: an RSVP to the series makes none.
alter table event_people add column is_absent boolean not null default false;
