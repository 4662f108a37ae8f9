-- Images that people send. The images themselves are files (or objects in a bucket), named by the id.

create table uploads (
  id uuid primary key,
  user_id uuid not null,
  width int not null check (width > 0),
  height int not null check (height > 0),
  bytes int not null check (bytes > 0),
  created_at timestamptz not null
);
create index uploads_by_user on uploads (user_id);

-- What a person has sent on their latest day, in UTC, and what all of it takes now.
create table upload_usage (
  user_id uuid primary key references users on delete cascade,
  day date not null,
  today int not null check (today > 0),
  bytes bigint not null check (bytes >= 0)
);

-- Files that may be there although no row of uploads tells of them: before one is written, and from when its row goes
-- until it is gone too. Past `due` it is deleted. Names nobody.
create table loose_files (
  id uuid primary key,
  due timestamptz not null
);
create index loose_files_by_due on loose_files (due);

-- Null: the drawn one. An upload of the person's own.
alter table users add avatar_upload uuid;
