-- The start times of the primaries that servers with replicas have written to. A replica that has the row of the present
-- primary follows it: after a failover, a replica of the former primary may have commits that were lost.
create table database_instances (
  started_at text primary key
);
