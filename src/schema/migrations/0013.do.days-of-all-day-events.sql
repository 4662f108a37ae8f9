-- The local days of an all-day event, in days since 1970-01-01; end_day is the day after the last one. Null for other events, and
-- for events in a zone that this PostgreSQL does not know, which lists select by their instants until they change.
alter table events add column first_day int;
alter table events add column end_day int;
update events set
  first_day = (start_at at time zone timezone)::date - date '1970-01-01',
  end_day = (end_at at time zone timezone)::date - date '1970-01-01'
where all_day and timezone in (select name from pg_timezone_names);
