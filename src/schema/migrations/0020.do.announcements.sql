-- What organizers write to the guests of an event.
create table announcements (
  -- What it is about: an event.
  subject_id uuid not null references events on delete cascade,
  id uuid not null,
  author_id uuid not null,
  text text not null,
  -- The lists of people who get it and may read it (src/outbox/audiences.ts).
  audience text[] not null,
  -- `deleted`: without its text, until it no longer counts towards the limits.
  status text not null check (status in ('scheduled', 'sent', 'missed', 'deleted')),
  -- Whether it belongs to a change of the event: the notification of the change has it.
  is_of_change boolean not null,
  send_at timestamptz not null,
  sent_at timestamptz,
  edited_at timestamptz,
  created_at timestamptz not null,
  -- How many people were in the lists when it was sent.
  recipients int,
  -- The recipients with this id or a higher one are still to be notified. Null before it is sent, and when all are.
  position uuid,
  primary key (subject_id, id)
);
create index announcements_by_time on announcements (subject_id, send_at, id);
create index announcements_by_id on announcements (id);
create index announcements_of_author on announcements (author_id, created_at);
create index announcements_due on announcements (send_at) where status = 'scheduled';
create index announcements_under_way on announcements (position) where position is not null;
create index announcements_deleted on announcements (created_at) where status = 'deleted';

-- The latest announcement that a notification is about.
alter table notifications add column about uuid;

-- The words about a change are an announcement with the id of the notice.
insert into announcements (subject_id, id, author_id, text, audience, status, is_of_change, send_at, sent_at, created_at)
select n.event_id, n.id, e.organizer_id, n.message, '{going,interested,waiting,claimants}', 'sent', true, n.created_at,
  n.created_at, n.created_at
from event_notices n join events e on e.id = n.event_id where n.message is not null;
alter table event_notices drop column message;
