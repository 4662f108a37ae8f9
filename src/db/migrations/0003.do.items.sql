-- Bring-lists and wish-lists. An item is (event_id, n); outside it is written `<event id>.<n>`.

create table items (
  event_id uuid not null references events on delete cascade,
  n int not null,
  kind text not null check (kind in ('bring', 'wish')),
  title text not null,
  -- Null: not set.
  description text,
  emoji text not null,
  image_url text,
  link text,
  created_at timestamptz not null,
  primary key (event_id, n)
);

-- The row that everybody who claims the item queues for. The check is the last guard against overselling.
create table item_stock (
  event_id uuid not null,
  n int not null,
  needed int not null,
  claimed int not null,
  primary key (event_id, n),
  foreign key (event_id, n) references items on delete cascade,
  constraint never_oversold check (claimed between 0 and needed)
);

create table claims (
  event_id uuid not null,
  n int not null,
  user_id uuid not null,
  id uuid not null,
  quantity int not null check (quantity >= 1),
  created_at timestamptz not null,
  primary key (event_id, n, user_id),
  foreign key (event_id, n) references items on delete cascade
);
create index claims_by_user on claims (user_id);
