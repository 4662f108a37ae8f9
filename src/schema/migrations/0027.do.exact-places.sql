-- Events whose address only people who go see. The columns of the place then have a public one, and `exact_place` the entered one,
-- with `moves`: how often it changed. A change of it alone raises no version, because nobody else may notice.
alter table events
  add column address_visibility text not null default 'everyone'
    constraint events_address_visibility check (address_visibility in ('everyone', 'going')),
  add column exact_place jsonb,
  add constraint events_hidden_address check ((address_visibility = 'going') = (exact_place is not null)),
  add constraint events_hidden_place check (exact_place is null or (not is_exact and online_url is null));

-- Of a move that only people who go are told of.
alter table event_notices add column only_going boolean not null default false;
