-- What the geocoder has found, by a keyed hash of the search, for 30 days. The row with an empty key has the time of the latest request.
create table geocoder_answers (
  key bytea primary key,
  streets jsonb,
  at timestamptz not null
);
