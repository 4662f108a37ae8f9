-- Imports of calendars that a person reviews before they become events.
create table import_runs (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  status text not null check (status in ('reading', 'review', 'publishing', 'done', 'failed')),
  -- Of `file`, until it has been read.
  media text not null,
  file bytea,
  -- Where the file is to be fetched; null once it is read. It is a secret of the person.
  url text,
  -- Where entries without a place are, and what entries are that say nothing of it.
  options jsonb not null,
  counts jsonb not null default '{}',
  -- Why nothing came of it.
  problem jsonb,
  publishes_doubtful boolean not null default false,
  -- How much of the publication is done: from 0 to 1.
  progress real not null default 0,
  -- When a server works on it next; while one does, the time from which another server takes over. Null if there is nothing to do.
  due_at timestamptz,
  created_at timestamptz not null,
  primary key (user_id, id)
);
create index import_runs_due on import_runs (due_at) where due_at is not null;
create index import_runs_by_age on import_runs (created_at);

-- The entries of an import, numbered from 1.
create table import_entries (
  user_id uuid not null,
  import_id uuid not null,
  n int not null,
  state text not null check (state in ('new', 'changed', 'same', 'doubtful', 'refused', 'skipped')),
  -- Of the table `imports`.
  key text not null,
  details jsonb not null,
  -- The event that it became or changed.
  event_id uuid,
  is_published boolean not null default false,
  primary key (user_id, import_id, n),
  foreign key (user_id, import_id) references import_runs on delete cascade
);

-- How often the hosts of calendars were fetched in an hour, over all servers.
create unlogged table import_fetches (
  host text not null,
  hour timestamptz not null,
  fetches int not null,
  primary key (host, hour)
);

-- What the file said of the entry when it was imported last; null for imports of earlier versions. A field whose value here is
-- still that of the file was not changed by the file. The row of a deleted event stays, so that its entry does not return.
alter table imports add column content jsonb;

alter table daily_counts drop constraint daily_counts_kind;
alter table daily_counts add constraint daily_counts_kind check (kind in ('events', 'items', 'follows', 'guests', 'imports'));
