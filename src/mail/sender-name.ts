/** A mail address, or a site such as `www.bank.example`. Initials such as `J.R.` are neither. */
const addressLike = /[@<>]|:\/\/|[\p{L}\p{N}]\.\p{L}{2}/u;

/**
 * The name of a person as the sender of a mail, or undefined for one that looks like an address or a site, such as
 * `Bank <service@bank.example>` or `bank.example`: mail programs show the name alone.
 */
export const senderName = (name: string | undefined): string | undefined =>
  name !== undefined && addressLike.test(name) ? undefined : name;
