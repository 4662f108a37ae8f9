-- Accounts that were deleted a few minutes ago. On a cluster, rows that a transaction of the person wrote on another node
-- can become visible after the deletion; sweeps delete them. On one PostgreSQL, sweeps find nothing.
create table deleted_accounts (
  id uuid primary key,
  -- What a sweep must know to find rows of the person, encrypted with the server's key.
  sealed bytea not null,
  -- The successful sweeps in time.
  sweeps int not null,
  due_at timestamptz not null
);
