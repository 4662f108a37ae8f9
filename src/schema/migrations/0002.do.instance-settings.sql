-- What admins have set about the instance: one row, or none. Null: the default.
create table instance_settings (
  id boolean primary key default true check (id),
  name text,
  language text,
  -- The target of a link.
  contact text,
  sign_in text[],
  -- The town whose streets servers download: its name, lat and lng.
  streets jsonb,
  -- Of this and the server's key, the token of the page that makes the first admin; null unless a server has printed it.
  setup_nonce bytea
);
