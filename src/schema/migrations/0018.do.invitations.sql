-- Invitations: of an account, of a contact, or a link to pass on.
create table invitations (
  -- What people are invited to: an event.
  subject_id uuid not null references events on delete cascade,
  id uuid not null,
  -- The person who made it.
  inviter_id uuid not null,
  -- The account that was invited by its id (`is_by_id`), or that has answered by the link.
  user_id uuid,
  is_by_id boolean not null default false,
  -- The guest without an account that the link has made.
  guest_id uuid,
  contact_kind text check (contact_kind in ('email', 'phone')),
  -- In canonical form; erased 30 days after the end of the event.
  contact text,
  name text,
  message text,
  -- SHA-256 of the token of the link; null for an account that was invited by its id.
  token_hash bytea,
  -- Null for a link for many.
  status text check (status in ('pending', 'going', 'interested', 'declined')),
  extra_guests int not null default 0,
  reply text,
  delivery text not null check (delivery in ('none', 'queued', 'sent', 'failed')),
  max_uses int not null default 1 check (max_uses between 1 and 10000),
  uses int not null default 0 check (uses between 0 and max_uses),
  expires_at timestamptz,
  created_at timestamptz not null,
  answered_at timestamptz,
  reminded_at timestamptz,
  -- How many times it was sent anew after a failure, and how many reminders were sent.
  resends int not null default 0,
  reminders int not null default 0,
  primary key (subject_id, id)
);
create unique index invitations_by_user on invitations (subject_id, user_id) where is_by_id;
create unique index invitations_by_contact on invitations (subject_id, contact) where contact is not null;
create index invitations_of_user on invitations (user_id) where user_id is not null;
create index invitations_of_guest on invitations (guest_id) where guest_id is not null;
create index invitations_of_contact on invitations (contact) where contact is not null;
create index invitations_of_inviter on invitations (inviter_id);
create index invitations_by_token on invitations (token_hash) where token_hash is not null;
create index invitations_by_id on invitations (id);

-- Who has answered by a link for many. Each person is one use.
create table invitation_uses (
  subject_id uuid not null,
  invitation_id uuid not null,
  user_id uuid not null,
  primary key (subject_id, invitation_id, user_id),
  foreign key (subject_id, invitation_id) references invitations on delete cascade
);
create index invitation_uses_of_user on invitation_uses (user_id);

-- Each time an invitation is made or tells somebody: what counts towards the limits of a person and of an address. Rows are kept for two
-- days.
create table invitation_sends (
  -- The inviter, or who reminds.
  user_id uuid not null,
  id uuid not null,
  subject_id uuid not null,
  invitation_id uuid not null,
  -- `inbox`: a notification of an account, which counts as a mail. `link`: a link that its maker passes on.
  way text not null check (way in ('inbox', 'email', 'phone', 'link')),
  is_reminder boolean not null,
  -- A keyed hash of the contact; null without one.
  contact_hash bytea,
  -- Whether the person's account was young: such accounts share the limit of an address.
  is_young boolean not null,
  -- When the limits of the person let it leave.
  due_at timestamptz not null,
  -- When the limit of the address lets it leave, and it is stored as a notification or a mail, or sent as a text; null before `due_at`.
  leaves_at timestamptz,
  primary key (user_id, id)
);
create index invitation_sends_of_person on invitation_sends (user_id, due_at);
create index invitation_sends_of_contact on invitation_sends (contact_hash, leaves_at) where contact_hash is not null;
create index invitation_sends_due on invitation_sends (due_at) where leaves_at is null;
create index invitation_sends_of_invitation on invitation_sends (invitation_id);

-- Contacts whose owners refuse all invitations, as keyed hashes.
create table refused_invitations (
  contact_hash bytea primary key,
  since timestamptz not null
);
