-- Web push: the browsers to which a person's notifications are sent, and those that are still to be sent.

create table push_subscriptions (
  user_id uuid not null references users on delete cascade,
  id uuid not null,
  -- The subscription ends with the session of the browser, so a browser that is signed out gets nothing.
  session_id uuid not null,
  -- Address at the browser's push service, and its hash to find it by.
  endpoint text not null,
  endpoint_hash bytea not null,
  -- The browser's public key and secret, in base64url.
  p256dh text not null,
  auth text not null,
  created_at timestamptz not null,
  primary key (user_id, id),
  unique (user_id, session_id),
  foreign key (user_id, session_id) references sessions on delete cascade
);
create index push_subscriptions_by_endpoint on push_subscriptions (endpoint_hash);

-- A row is deleted before its push is sent, and inserted again if the push service asks to retry.
create table push_deliveries (
  user_id uuid not null,
  notification_id uuid not null,
  subscription_id uuid not null,
  -- Failed attempts so far.
  attempts int not null,
  due_at timestamptz not null,
  primary key (user_id, notification_id, subscription_id),
  foreign key (user_id, subscription_id) references push_subscriptions on delete cascade
);
create index push_deliveries_by_time on push_deliveries (due_at);
-- For the foreign key.
create index push_deliveries_by_subscription on push_deliveries (user_id, subscription_id);
