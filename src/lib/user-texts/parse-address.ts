/** Addresses of web pages and images that users send. */

/**
 * An http or https address. Its first group is the host: a name of at most 253 characters, which is the limit of the DNS (RFC
 * 1035), or an address of IPv6. `URL` would take quadratic time to encode a longer name of many different letters.
 */
const address =
  /^https?:\/\/(?:[^\s/?#\\@]*@)?([^\s/?#\\@:[\]]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{0,5})?(?:[/?#\\]\S*)?$/i;
/** A label of a name has at most 63 characters (RFC 1035). */
const longLabel = /[^.]{64}/;

/** Parses an http or https address without white space; null for another text. Takes linear time. */
export function parseAddress(text: string): URL | null {
  const host = address.exec(text)?.[1];
  return host === undefined || longLabel.test(host) ? null : URL.parse(text);
}
