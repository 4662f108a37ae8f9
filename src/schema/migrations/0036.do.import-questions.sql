-- What a person has to say before a file can be read, such as which number of its dates is the day; the file stays until then.
alter table import_runs add column questions jsonb not null default '[]', add column answers jsonb not null default '{}';
