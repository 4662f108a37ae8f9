-- Guests without an account whom the organizer added: they have no contact, and the organizer changes their answers.
alter table users add column is_added boolean not null default false;

-- The guests whom a person adds in a day.
alter table daily_counts drop constraint daily_counts_kind_check;
alter table daily_counts add constraint daily_counts_kind check (kind in ('events', 'items', 'follows', 'guests'));
