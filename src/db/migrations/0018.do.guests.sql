-- Party sizes, and who may see the guests of an event and who brings what.

alter table rsvps
  -- People whom the guest brings, and whether other people do not see the guest. Null: never set, which
  -- means 0 and false. The upsert tells by null that a request leaves the value as it is.
  add column extra_guests smallint check (extra_guests between 0 and 10),
  add column is_hidden boolean,
  -- As `previous`: what extra_guests was before the last change.
  add column previous_extra_guests smallint;

-- The extra guests of those who are going. Separate from going_count, so that no existing row needs an update.
alter table event_counters add column extra_guests_count int not null default 0 check (extra_guests_count >= 0);

alter table events
  add column guest_list_visibility text not null default 'organizer'
    check (guest_list_visibility in ('organizer', 'guests', 'everyone')),
  add column claimant_visibility text not null default 'organizer'
    check (claimant_visibility in ('organizer', 'guests', 'everyone'));

-- The guest list: a page reads what it shows, however many guests there are.
create index rsvps_by_status on rsvps (event_id, status, user_id);

-- The feed reads the RSVPs of the followed people from this index alone, and leaves out the hidden ones.
create index rsvps_of_person on rsvps (user_id) include (event_id, status, is_hidden);
drop index rsvps_of_user;
alter index rsvps_of_person rename to rsvps_of_user;
