-- What happened to accounts and sessions. Rows are added in the transaction that does what they tell of, and change
-- only when their account is deleted: then nothing of the person stays in them.

create table audit (
  -- A keyed hash of the person's id, or of the number where nobody was signed in.
  who bytea not null,
  id uuid not null,
  at timestamptz not null,
  what text not null,
  -- Null once the account is deleted, and for a number that has none.
  user_id uuid,
  -- The network of the caller, shortened; null where a command did it or the account is deleted.
  address text,
  detail text not null,
  primary key (who, id)
);
create index audit_by_time on audit (at);
