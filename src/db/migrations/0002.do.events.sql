-- Events and what hangs on them. Every table here is keyed by the event's id.

-- Great-circle distance in km on a sphere of 6,371 km (haversine), right at the poles and across the antimeridian.
-- PostgreSQL refuses results too small for a float; 1e-99 of a degree keeps squares of next to nothing out of there.
create function distance_km(lat1 float8, lng1 float8, lat2 float8, lng2 float8) returns float8
  language sql immutable parallel safe
  return 2 * 6371 * asin(sqrt(least(1,
    power(sin(radians(abs(lat2 - lat1) + 1e-99) / 2), 2)
    + cos(radians(abs(lat1) + 1e-99)) * cos(radians(abs(lat2) + 1e-99))
    * power(sin(radians(abs(lng2 - lng1) + 1e-99) / 2), 2))));

create table events (
  id uuid primary key,
  -- People live under another key, so this is no foreign key: account deletion removes their events itself.
  organizer_id uuid not null,
  title text not null,
  description text not null,
  -- Null: the generated cover.
  cover_url text,
  start_at timestamptz not null,
  end_at timestamptz not null,
  timezone text not null,
  address text not null,
  lat float8 not null check (lat between -90 and 90),
  lng float8 not null check (lng between -180 and 180),
  -- The 0.25° grid cell of (lat, lng); the formula is cellOf in events/cells.ts.
  cell int not null,
  category text not null,
  template text not null,
  price numeric(9, 2) not null check (price >= 0),
  currency text not null,
  -- 0: no limit.
  capacity int not null check (capacity >= 0),
  visibility text not null check (visibility in ('public', 'unlisted', 'private')),
  status text not null check (status in ('scheduled', 'cancelled')),
  enabled_modules text[] not null,
  -- Words of title (weight A), address (B) and description (C), folded by the app.
  search tsvector not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (end_at > start_at)
);

-- What lists may show; each index holds only that.
create index events_by_start on events (start_at, id) include (end_at, lat, lng, category, organizer_id)
  where visibility = 'public' and status = 'scheduled';
create index events_by_category on events (category, start_at, id)
  where visibility = 'public' and status = 'scheduled';
-- For what goes on at a given moment but began before.
create index events_by_span on events using gist (tstzrange(start_at, end_at))
  where visibility = 'public' and status = 'scheduled';
create index events_by_cell on events (cell, start_at, id) include (lat, lng, end_at, category, organizer_id)
  where visibility = 'public' and status = 'scheduled';
create index events_by_word on events using gin (search)
  where visibility = 'public' and status = 'scheduled';
create index events_by_organizer on events (organizer_id);

-- Apart from events, so that an RSVP does not rewrite the wide, indexed row, and the key-share lock that its foreign
-- key takes on the event does not fight with the count.
create table event_counters (
  event_id uuid primary key references events on delete cascade,
  rsvp_count int not null check (rsvp_count >= going_count),
  going_count int not null check (going_count >= 0),
  -- The n of the newest item; never goes back, so an item's id is never used again.
  last_item int not null
);

create table rsvps (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null,
  status text not null check (status in ('going', 'interested')),
  -- What the status was before the last change: the upsert tells by it how the counters change.
  previous text,
  created_at timestamptz not null,
  primary key (event_id, user_id)
);
create index rsvps_by_user on rsvps (user_id);

create table saves (
  event_id uuid not null references events on delete cascade,
  user_id uuid not null,
  created_at timestamptz not null,
  primary key (event_id, user_id)
);
create index saves_by_user on saves (user_id);

-- The UIDs of imported calendar entries, keyed by their organizer: what makes an import repeatable.
create table imports (
  organizer_id uuid not null references users on delete cascade,
  uid text not null,
  event_id uuid not null,
  primary key (organizer_id, uid)
);
create index imports_by_event on imports (event_id);
