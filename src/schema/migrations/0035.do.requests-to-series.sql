-- A request is to join an event or all dates of a series, so no foreign key can check it: what deletes events and series deletes it.
alter table requests drop constraint requests_subject_id_fkey;
alter table requests
  -- Whether it is about a series.
  add column is_of_series boolean not null default false,
  -- Of a request to a series: the date at which it counts among what the organizer has not read. Null without one.
  add column counted_event_id uuid;
