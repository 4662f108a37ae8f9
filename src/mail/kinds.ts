/** The kinds of mails that are stored until a mail server accepts them. */
const kinds = {
  /** Sent by an admin to see whether mails arrive. */
  test: {},
  /** To the former address, or to the address of an account that got a phone number. */
  contact_changed: {},
};

export type MailKind = keyof typeof kinds;
export const mailKinds = Object.keys(kinds) as MailKind[];
