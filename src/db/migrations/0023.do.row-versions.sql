-- Versions of the records that servers cache. A write raises the version of each row that it changes; a record that
-- consists of two rows has the sum of their versions. Constant defaults are stored in the catalogue: no row is rewritten.
-- The tables are in the order in which transactions lock them.

alter table users add column version bigint not null default 0;
alter table sessions add column version bigint not null default 0;
alter table events add column version bigint not null default 0;
alter table event_counters add column version bigint not null default 0;

alter table changes
  -- Of each of `records`: eight times its version after the change, plus the number of its kind; null for a deleted record.
  -- Null in place of the array: written by a server of an earlier version of Potluck, which does not raise versions.
  add column versions bigint[],
  -- Of changes with places in lists, for each of `records`: twice the version of the row in `events`, plus 1 if lists show
  -- the event; null for a deleted event and for other records.
  add column listings bigint[];
