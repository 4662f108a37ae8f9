/** Addresses of calendars that the server fetches. */
import { invalid } from '../../../lib/errors.ts';
import { parseAddress } from '../../../lib/user-texts/parse-address.ts';

const ports = ['', '80', '443'];

/**
 * Reads the address of a request. Which machine it names is judged when the server connects to it.
 * @param testOrigin an origin that may have any port
 * @throws Problem `invalid_request` at `url`
 */
export function readSourceAddress(text: string, testOrigin: string | undefined): URL {
  const url = parseAddress(text.replace(/^webcal:/i, 'https:'));
  if (!url) throw invalid('url', 'must be an address that starts with https://, http:// or webcal://', 'url');
  if (url.username !== '' || url.password !== '')
    throw invalid('url', 'must not have a name or a password in it');
  if (!ports.includes(url.port) && url.origin !== testOrigin)
    throw invalid('url', 'must have the port 80 or 443');
  return url;
}

/** The address to which a response leads. Null unless the server may follow: it never leaves https. */
export function redirectionOf(from: URL, location: string, testOrigin: string | undefined): URL | null {
  const url = location.length > 2_048 ? null : parseAddress(absolute(from, location));
  const isAddress = url?.protocol === 'https:' || (url?.protocol === 'http:' && from.protocol === 'http:');
  if (!url || !isAddress || url.username !== '' || url.password !== '') return null;
  return ports.includes(url.port) || url.origin === testOrigin ? url : null;
}

/** The address that a `Location` means (RFC 3986, section 5.2, without queries and fragments alone). */
function absolute({ protocol, origin, pathname }: URL, location: string): string {
  if (/^[a-z][a-z\d+.-]{0,20}:/i.test(location)) return location;
  if (location.startsWith('//')) return protocol + location;
  const folder = location.startsWith('/') ? '' : pathname.slice(0, pathname.lastIndexOf('/') + 1);
  return `${origin}${folder}${location}`;
}
