-- For the feed: it reads the RSVPs of the followed people from this index alone, without the rows of the table.

create index rsvps_of_user on rsvps (user_id) include (event_id, status);
drop index rsvps_by_user;
