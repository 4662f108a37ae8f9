-- The first of the usernames that start with a term, which a search for people shows first.
create index users_by_username on users (username collate "C") where suspended_at is null;
