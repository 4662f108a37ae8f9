-- Events that lists have shown and no longer show, for programs that keep a copy of the lists: until they are shown again, or
-- for some weeks. Nothing else of the event: the row remains when the event and its organizer's account are deleted.
create table event_tombstones (
  event_id uuid primary key,
  reason text not null constraint event_tombstones_reason check (reason in ('deleted', 'cancelled', 'hidden')),
  at timestamptz not null
);
create index event_tombstones_by_time on event_tombstones (at, event_id);

-- For the events that changed since a time.
create index events_by_update on events (updated_at, id) include (organizer_id)
  where visibility = 'public' and status = 'scheduled' and not hidden;
