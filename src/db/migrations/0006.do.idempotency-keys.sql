-- Answers to requests that came with an Idempotency-Key, kept for a day so that a repeated request gets the first
-- answer again. Written in the transaction that made what the answer tells of.

create table idempotency_keys (
  user_id uuid not null references users on delete cascade,
  -- Keyed hashes of the key and of what was asked with it.
  key_hash bytea not null,
  request_hash bytea not null,
  -- Sealed under the key itself, which is nowhere here: only whoever sends it again can have it opened.
  answer bytea not null,
  created_at timestamptz not null,
  primary key (user_id, key_hash)
);
create index idempotency_keys_by_time on idempotency_keys (created_at);
