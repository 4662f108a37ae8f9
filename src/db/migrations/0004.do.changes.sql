-- What changed of what servers keep in memory, in an order that every server can follow: what it keeps is good as long
-- as nothing of it is named here. Keyed by the shard, which only spreads writers over several rows.

create table change_shards (shard int primary key, version bigint not null);
insert into change_shards select shard, 0 from generate_series(0, 15) shard;

-- Written with its shard's version raised, in one transaction: so versions have no gaps and follow the commits.
create table changes (
  shard int not null,
  version bigint not null,
  -- Hashes of the ids of events and people whose record changed: a name for those who know the id, and for nobody else.
  records text[] not null,
  -- Where and when the events are or were that lists show or showed; days are counted in UTC from 1970-01-01.
  cells int[] not null,
  first_days int[] not null,
  last_days int[] not null,
  at timestamptz not null,
  primary key (shard, version)
);
create index changes_by_time on changes (at);
