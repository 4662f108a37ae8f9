-- The series that an entry became. `event_id` is then no event.
alter table imports add column series_id uuid;
-- Of the later part of a series that a person has split here: the key of the entry.
alter table imports add column part_of text;
create index imports_by_series on imports (series_id) where series_id is not null;
create index imports_by_part on imports (organizer_id, part_of) where part_of is not null;
