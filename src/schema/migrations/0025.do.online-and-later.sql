-- Where an event takes place: at its place, online, or at a place that is announced later. Of the last two, the place is a town.
alter table events
  add column location_kind text not null default 'place'
    constraint events_location_kind check (location_kind in ('place', 'later', 'online')),
  add column online_url text,
  add constraint events_inexact_town check (location_kind = 'place' or not is_exact);
