-- How many requests a caller made in a minute, as far as servers have told each other. Unlogged: after a crash of the
-- database a minute begins anew, and nobody needs its counts in a backup.

create unlogged table request_counts (
  -- A keyed hash of the address.
  caller text not null,
  minute timestamptz not null,
  requests int not null,
  primary key (caller, minute)
);
