-- The version of a series that calendars show is the sum of those of its occurrences and of this, which counts changes of the series
-- itself, and keeps the versions of occurrences that it lost. `changed_at`: the last of these changes; null before the first.
alter table series add column sequence integer not null default 0, add column changed_at timestamptz;
