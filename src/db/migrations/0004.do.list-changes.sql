-- What lists show changed, in an order that every server can follow: what it keeps of lists in memory is good as long
-- as nothing of it is named here. Keyed by the shard, which only spreads writers over several rows.

create table list_shards (shard int primary key, version bigint not null);
insert into list_shards select shard, 0 from generate_series(0, 15) shard;

-- Written with its shard's version raised, in one transaction: so versions have no gaps and follow the commits.
create table list_changes (
  shard int not null,
  version bigint not null,
  -- Where and when the events are or were that changed; days are counted in UTC from 1970-01-01.
  cells int[] not null,
  first_days int[] not null,
  last_days int[] not null,
  at timestamptz not null,
  primary key (shard, version)
);
create index list_changes_by_time on list_changes (at);
