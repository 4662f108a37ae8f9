-- People. Every table here is keyed by the person's id, but for the two look-up tables that make a phone and a
-- username unique (a unique index must hold the distribution key).

create table users (
  id uuid primary key,
  phone text not null,
  name text not null,
  username text not null,
  bio text not null,
  city text not null,
  is_private boolean not null,
  role text not null check (role in ('user', 'admin')),
  -- ' ' before each folded word of name and username, so that '% wor%' finds starts of words.
  search text not null,
  created_at timestamptz not null
);
create extension if not exists pg_trgm;
create index users_search on users using gin (search gin_trgm_ops);

create table phones (phone text primary key, user_id uuid not null);
create table usernames (username text primary key, user_id uuid not null);

-- Apart from users, so that a follow does not rewrite the wide, indexed row.
create table user_counters (
  user_id uuid primary key references users on delete cascade,
  followers_count int not null check (followers_count >= 0),
  following_count int not null check (following_count >= 0),
  -- Public, scheduled events that the person organizes.
  events_count int not null check (events_count >= 0)
);

-- Both directions of whatever is between two people: one look-up by (user_id, other ids) tells a viewer everything.
create table relations (
  user_id uuid not null references users on delete cascade,
  other_id uuid not null,
  follows boolean not null,
  followed_by boolean not null,
  blocks boolean not null,
  blocked_by boolean not null,
  primary key (user_id, other_id),
  check (user_id <> other_id),
  check (not (blocks and (follows or followed_by)) and not (blocked_by and (follows or followed_by)))
);

create table sessions (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  -- SHA-256 of the tokens; the tokens themselves are nowhere.
  access_hash bytea not null,
  refresh_hash bytea not null,
  -- The token that the current pair was made from; within ten seconds it gives that pair again.
  spent_hash bytea,
  refreshed_at timestamptz not null,
  access_expires_at timestamptz not null,
  refresh_expires_at timestamptz not null,
  -- However often it is refreshed, the session ends here.
  ends_at timestamptz not null,
  created_at timestamptz not null,
  user_agent text not null,
  primary key (user_id, id)
);

-- The newest code of a phone for each purpose, and the wrong tries against it. Keyed by a keyed hash of the phone.
create table codes (
  phone_hash bytea not null,
  purpose text not null check (purpose in ('sign_in', 'delete_account')),
  -- Null once the code was used.
  code_hash bytea,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  -- Moments of the wrong tries of the last 15 minutes; resending does not clear them.
  tries timestamptz[] not null,
  primary key (phone_hash, purpose)
);

-- How many messages went out in a day, by scope: a number, an address, a prefix, a country, everybody.
create table code_sends (
  scope text not null,
  day date not null,
  sent int not null,
  primary key (scope, day)
);
