-- Messages between two people. Whatever is there lies once with either of them, under their own key, so that nobody's
-- reading touches another's; both copies are written in one transaction.

create table conversations (
  user_id uuid not null references users on delete cascade,
  other_id uuid not null,
  -- The newest message. Ids rise within a conversation, whatever clocks say, and tell when it was.
  last_id uuid not null,
  -- The newest when the person last said that they had read; null: they never did.
  read_id uuid,
  -- Messages of the other above read_id.
  unread_count int not null check (unread_count >= 0),
  primary key (user_id, other_id),
  check (user_id <> other_id)
);
create index conversations_by_last on conversations (user_id, last_id);

create table messages (
  user_id uuid not null,
  other_id uuid not null,
  -- The same on both sides.
  id uuid not null,
  -- Whether the person wrote it, and not the other.
  is_own boolean not null,
  text text not null,
  created_at timestamptz not null,
  primary key (user_id, other_id, id),
  foreign key (user_id, other_id) references conversations on delete cascade
);

-- How many messages a person sent since a moment at most a minute ago. Unlogged, as request_counts: after a crash of
-- the database a minute begins anew.
create unlogged table message_counts (
  user_id uuid primary key references users on delete cascade,
  since timestamptz not null,
  sent int not null
);
