-- An announcement is about an event or about a series, so no foreign key can check it: what deletes events and series deletes it.
alter table announcements drop constraint announcements_subject_id_fkey;
-- Whether it is about a series.
alter table announcements add column is_of_series boolean not null default false;
