-- For the feed, and for lists of people and of one person's events: each page reads what it shows, however many people
-- follow somebody and however many events somebody organized.

create index relations_follows on relations (user_id, other_id) include (followed_by) where follows;
create index relations_followers on relations (user_id, other_id) where followed_by;
create index relations_blocks on relations (user_id, other_id) where blocks or blocked_by;

-- In place of the one without the start.
drop index events_by_organizer;
create index events_by_organizer on events (organizer_id, start_at, id);
