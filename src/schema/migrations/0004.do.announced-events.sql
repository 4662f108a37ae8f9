-- Whether the event has been public: the followers of its organizer are notified of a new event once, also if it is hidden and
-- shown again. Events of earlier versions are not new.
alter table events add column is_announced boolean not null default true;
alter table events alter column is_announced set default false;
