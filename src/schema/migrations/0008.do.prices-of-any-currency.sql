-- Prices up to 1,000,000,000, with as many decimals as the currency has. The type without a precision accepts every stored
-- value, so PostgreSQL does not rewrite the table.
alter table events alter column price type numeric;
