-- Comments on events. The ids of the comments of an event ascend in the order in which the comments were committed.
create table comments (
  event_id uuid not null references events on delete cascade,
  id uuid not null,
  user_id uuid not null,
  text text not null,
  -- The comment of this event that it replies to; null for others, and if that one is deleted.
  reply_to uuid,
  created_at timestamptz not null,
  primary key (event_id, id)
);
create index comments_of_user on comments (user_id);
create index comments_by_reply on comments (event_id, reply_to) where reply_to is not null;

-- What a write of a comment of an event locks first. Events without a comment may have no row.
create table comment_counters (
  event_id uuid primary key references events on delete cascade,
  comment_count int not null default 0 check (comment_count >= 0),
  -- The time of the newest comment.
  last_at timestamptz,
  -- Rises with each change of the comments.
  version int not null default 0
);

-- How many comments a person has written since a time that is at most a minute ago, and on the latest day of UTC.
create unlogged table comment_limits (
  user_id uuid primary key references users on delete cascade,
  since timestamptz not null,
  sent int not null,
  day date not null,
  sent_on_day int not null
);

alter table events add column comment_visibility text not null default 'guests';
alter table events add constraint events_comment_visibility check (comment_visibility in ('guests', 'everyone'));

alter table reports drop constraint reports_subject_type_check;
alter table reports add constraint reports_subject_type
  check (subject_type in ('event', 'item', 'message', 'user', 'comment'));

-- When the latest push of a kind with a pause was or is due; null for others.
alter table notifications add column pushed_at timestamptz;
