-- People are invited to an event or to all dates of a series, so no foreign key can check it: what deletes events and series deletes it.
alter table invitations drop constraint invitations_subject_id_fkey;
-- Whether it is to a series.
alter table invitations add column is_of_series boolean not null default false;
create index invitations_to_series on invitations (subject_id) where is_of_series and contact is not null;
