-- As users.version: rises with each change of the item or its stock. Live streams compare it in place of the item. Servers of
-- the last release do not raise it.
alter table item_stock add column version bigint not null default 0;

-- src/db/migration-code.ts: users.search has letters from A to Z in place of each character beyond ASCII.
