-- What was decided about people at an event: a row for each person of whom one of these is true, or was. It outlives the RSVP of
-- the person.
create table event_people (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null,
  -- Sees the event also while it is private, and needs no approval.
  is_invited boolean not null default false,
  -- The organizer approved a request of the person.
  is_approved boolean not null default false,
  -- The organizer removed the person, who cannot answer again.
  is_removed boolean not null default false,
  primary key (event_id, user_id)
);
create index event_people_of_user on event_people (user_id);
