-- Until when people answer, inclusive; null without a deadline.
alter table events add column rsvp_until timestamptz;
-- Whether the organizer approves people who have no invitation.
alter table events add column rsvp_approval text not null default 'none';
alter table events add constraint events_rsvp_approval check (rsvp_approval in ('none', 'organizer')) not valid;

-- A request of a person to join what only the organizer lets people join.
create table requests (
  -- The event that the person asks to join.
  subject_id uuid not null references events on delete cascade,
  user_id uuid not null,
  -- The RSVP of an approved request is a row of `rsvps`; the request stays, so an approval can be repeated.
  status text not null constraint requests_status check (status in ('pending', 'refused', 'approved')),
  -- The RSVP that the person asks for, as its columns.
  answer text not null constraint requests_answer check (answer in ('going', 'interested')),
  extra_guests smallint constraint requests_extra_guests check (extra_guests between 0 and 10),
  is_hidden boolean,
  -- For the organizer; null without one.
  message text,
  -- When the person asked; later changes of a pending request do not count.
  created_at timestamptz not null,
  -- A later request has to wait. Null unless the status is `refused`.
  refused_at timestamptz,
  primary key (subject_id, user_id),
  constraint requests_refused check ((status = 'refused') = (refused_at is not null))
);
create index requests_of_user on requests (user_id);
-- The list of the organizer has the oldest first.
create index requests_by_time on requests (subject_id, created_at, user_id);

-- Unread notifications of the organizer about requests, as those about RSVPs.
alter table event_counters add column unread_requests int not null default 0;
alter table event_counters add column requests_notification_id uuid;
alter table event_counters add column requests_person_id uuid;
