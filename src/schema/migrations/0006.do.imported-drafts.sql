-- Whether an import made the event a draft because nothing said where it is. A later import that knows the place publishes
-- it. Servers of the last release leave the column out.
alter table imports add column lacks_place boolean not null default false;
