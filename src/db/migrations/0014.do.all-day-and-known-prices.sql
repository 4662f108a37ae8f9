-- Constant defaults are stored in the catalogue: no row is rewritten, and the lock on the table is brief.
alter table events
  -- From the start of a local day to the start of a later one, in the event's time zone.
  add column all_day boolean not null default false,
  -- Whether price 0 means free. A price above 0 is known whatever stands here, so existing rows need no update.
  add column is_price_known boolean not null default false;
