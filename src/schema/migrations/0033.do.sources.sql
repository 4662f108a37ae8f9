-- Calendars that people follow.
create table sources (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  -- The hash of the address, which is a secret of the person.
  address_hash bytea not null,
  url text not null,
  auto_publish boolean not null,
  -- What new entries are that say nothing of it, as of an import.
  options jsonb not null,
  -- What the person has said about dates of a table.
  answers jsonb not null default '{}',
  created_at timestamptz not null,
  -- When a server works on it next; while one does, the time from which another server takes over. Null once it is given up.
  due_at timestamptz,
  -- A fetch from before this time is not new enough: the person asked for a newer one.
  wanted_since timestamptz not null,
  refreshed_at timestamptz,
  -- The last good fetch.
  last_good_at timestamptz,
  -- What has been read completely, so that the same again needs no work; null if something remains.
  read_hash bytea,
  read_at timestamptz,
  problem jsonb,
  failing_since timestamptz,
  failures int not null default 0,
  primary key (user_id, id),
  unique (user_id, address_hash)
);
create index sources_due on sources (due_at) where due_at is not null;

-- What an address answered, for all who follow it. It can be fetched again at any time.
create unlogged table source_fetches (
  address_hash bytea primary key,
  fetched_at timestamptz,
  -- Why the last fetch failed; null if it did not.
  problem text,
  body bytea,
  media_type text,
  body_hash bytea,
  etag text,
  last_modified text,
  -- The host asks not to be fetched before.
  not_before timestamptz,
  -- Until when a request has counted the next fetch already.
  reserved_until timestamptz,
  -- While a server fetches it, the time from which another server may.
  leased_until timestamptz,
  used_at timestamptz not null
);

-- The source whose entries an import has.
alter table import_runs add column source_id uuid;
-- The address that was fetched, for imports of addresses.
alter table import_runs add column address_hash bytea;
-- Whether a server publishes what a source changes, without a review.
alter table import_runs add column is_automatic boolean not null default false;
create index import_runs_of_source on import_runs (user_id, source_id) where source_id is not null;
-- Whether an entry of an automatic import waits for the person.
alter table import_entries add column waits boolean not null default false;

-- A hash of what the file said; null if it is not known, or if some of it was not taken over.
alter table imports add column hash text;
-- Whether the person left the entry out of a review of a source: it has no event.
alter table imports add column is_left_out boolean not null default false;
-- Since which fetch of its source the entry is missing, and whether its event was cancelled for that.
alter table imports add column missing_since timestamptz;
alter table imports add column is_absent boolean not null default false;
