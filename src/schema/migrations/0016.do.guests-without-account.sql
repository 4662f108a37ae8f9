-- A guest without an account is a person of one event. It has no username, and its contact is not in `contacts`: one contact may
-- be a guest at many events.
-- The event of a guest; null for accounts.
alter table users add column guest_of uuid;
alter table users drop constraint users_contact;
-- The constraint before it implies this one, so the rows need no check.
alter table users add constraint users_contact
  check (guest_of is not null or phone is not null or email is not null or oidc is not null) not valid;
create index users_guests on users (guest_of) where guest_of is not null;

-- The guest of an event who has confirmed a contact.
create table guest_contacts (
  contact text not null,
  event_id uuid not null,
  user_id uuid not null,
  primary key (contact, event_id)
);

-- The only event in which the token of the session is valid; null for other sessions.
alter table sessions add column event_id uuid;
create index sessions_of_event on sessions (event_id) where event_id is not null;

-- The event that a code of a guest is for; null for other purposes. `requester` differs for each event.
alter table codes add column event_id uuid;
alter table codes drop constraint codes_purpose;
alter table codes add constraint codes_purpose
  check (purpose in ('sign_in', 'delete_account', 'confirm_contact', 'change_contact', 'guest'));
alter table code_tries drop constraint code_tries_purpose;
alter table code_tries add constraint code_tries_purpose
  check (purpose in ('sign_in', 'delete_account', 'confirm_contact', 'change_contact', 'guest'));
