-- Seats at an event. Keyed by the event's id like all that hangs on it.
-- Events that are there already keep the modules that they have: their organizers switch `booking` on where it is wanted.

alter table event_counters
  -- Seats that are booked, and people who wait. Whoever books, changes or cancels locks this row first: it is the queue.
  add booked_count int not null default 0 check (booked_count >= 0),
  add waiting_count int not null default 0 check (waiting_count >= 0),
  -- The n of the newest booking; never goes back.
  add last_booking int not null default 0;

create table bookings (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null,
  id uuid not null,
  -- Handed out by the counters' row: who came first, whatever the clocks of two servers say.
  n int not null,
  seats int not null check (seats between 1 and 20),
  status text not null check (status in ('booked', 'waiting')),
  created_at timestamptz not null,
  primary key (event_id, user_id),
  unique (event_id, n)
);
-- The waitlist from its head, and how many stand before somebody.
create index bookings_waiting on bookings (event_id, n) where status = 'waiting';
create index bookings_by_user on bookings (user_id);
