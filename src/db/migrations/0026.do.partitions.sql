-- Partitions by time for the tables that only grow. The ids of their rows are UUIDs of version 7: they begin with the time, so
-- ranges of ids are ranges of time, and the primary keys stay as they are. The existing table becomes the partition of all
-- earlier ids, so no row is rewritten; PostgreSQL reads the table, to check the bound. A job of the servers divides the partition
-- of all later ids (src/db/partitions.ts).

-- In the order in which transactions of servers lock them.
lock table conversations, messages, audit in access exclusive mode;

alter table audit rename to audit_before;
alter index audit_pkey rename to audit_before_pkey;
alter index audit_by_time rename to audit_before_by_time;
alter index audit_by_admin rename to audit_before_by_admin;
create table audit (like audit_before, primary key (who, id)) partition by range (id);
create index audit_by_time on audit (at);
create index audit_by_admin on audit (by_id) where by_id is not null;

alter table messages rename to messages_before;
alter index messages_pkey rename to messages_before_pkey;
create table messages (
  like messages_before,
  primary key (user_id, other_id, id),
  foreign key (user_id, other_id) references conversations on delete cascade
) partition by range (id);

do $$
declare
  first_id uuid := (lpad(to_hex((extract(epoch from
    (date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC') * 1000)::bigint), 12, '0')
    || repeat('0', 20))::uuid;
  name text;
begin
  foreach name in array array['audit', 'messages'] loop
    execute format('create table %I partition of %I for values from (%L) to (maxvalue)', name || '_after', name, first_id);
    -- On a cluster with Citus, a table is distributed like its partitions.
    if to_regclass('pg_catalog.pg_dist_partition') is not null then
      execute format('select create_distributed_table(%L, column_to_column_name(logicalrelid, partkey), colocate_with => %L)
        from pg_dist_partition where logicalrelid = %L::regclass', name, name || '_before', name || '_before');
    end if;
    -- Only rows that were written by a server whose clock was ahead.
    execute format('insert into %I select * from %I where id >= %L', name, name || '_before', first_id);
    execute format('delete from %I where id >= %L', name || '_before', first_id);
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', name, name || '_before', first_id);
  end loop;
end $$;
