-- How many messages a person has sent on their latest day, for the daily quota. A column for the day that a server of the last
-- release does not write stays as it is: such a server counts nothing towards the quota.
alter table message_counts
  -- In UTC; null before the first message that counts.
  add column day date,
  add column sent_on_day int not null default 0;
