-- Codes and wrong tries belong to the device or client network that requests and enters them, so that other people neither
-- replace the code of a number's owner nor use up the owner's tries.

-- A keyed hash of the number and of the device, network or account. Empty: requested before this migration.
alter table codes add column requester bytea not null default '\x';
-- How the server knew the requester: not at all, by its network, or by its device.
alter table codes add column trust text not null default 'unknown';
alter table codes add constraint codes_trust check (trust in ('unknown', 'network', 'device'));
alter table codes drop constraint codes_pkey;
alter table codes add constraint codes_pkey primary key (phone_hash, purpose, requester);
alter table codes drop column tries;

-- The wrong tries of the last 24 hours.
create table code_tries (
  phone_hash bytea not null,
  id uuid not null,
  purpose text not null check (purpose in ('sign_in', 'delete_account')),
  requester bytea not null,
  -- The daily budget that the try counts against.
  budget text not null check (budget in ('unknown', 'network', 'device')),
  at timestamptz not null,
  primary key (phone_hash, id)
);

-- The networks from which a number was signed in, as keyed hashes that differ for each number: at most ten of a number.
create table known_networks (
  phone_hash bytea not null,
  network bytea not null,
  signed_in_at timestamptz not null,
  primary key (phone_hash, network)
);
create index known_networks_by_time on known_networks (signed_in_at);
