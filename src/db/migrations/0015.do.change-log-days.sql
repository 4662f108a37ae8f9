-- The discovery index finds a changed event by its cell and the day on which it begins. The day on which it ends is not
-- needed. Rows of the log live for five minutes, so none has to be converted.
alter table changes drop column last_days;
alter table changes rename column first_days to days;
