/** The kinds of mails beside those of notifications (src/outbox/kinds.ts). */
const kinds = {
  /** Sent by an admin to see whether mails arrive. */
  test: {},
  /** To the former address, or to the address of an account that got a phone number. */
  contact_changed: {},
  /** To an organizer: what is new at the events of the last day (src/modules/notifications/). */
  summary: {},
  /** To a contact that is invited, and to remind it (src/modules/invitations/). */
  invited: {},
  invited_reminder: {},
};

export type MailKind = keyof typeof kinds;
export const mailKinds = Object.keys(kinds) as MailKind[];
export const isMailKind = (kind: string): kind is MailKind => Object.hasOwn(kinds, kind);
