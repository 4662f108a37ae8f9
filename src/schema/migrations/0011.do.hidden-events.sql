-- Why and when an admin hid the event; null for events that no admin hides. `hidden` is true for these events and for those
-- of suspended organizers, so the indexes and servers of the last release leave both out.
alter table events add column hidden_reason text;
alter table events add column hidden_at timestamptz;
