-- When the contact was added to the account; null for a contact that the account was created with, and for those of earlier
-- versions. A new contact confirms no deletion. Servers of the last release leave the column out.
alter table contacts add column added_at timestamptz;

-- A code that is sent to a contact of an account confirms a change of its contacts.
alter table codes drop constraint codes_purpose_check;
alter table codes add constraint codes_purpose
  check (purpose in ('sign_in', 'delete_account', 'confirm_contact', 'change_contact'));
alter table code_tries drop constraint code_tries_purpose_check;
alter table code_tries add constraint code_tries_purpose
  check (purpose in ('sign_in', 'delete_account', 'confirm_contact', 'change_contact'));
