/** Networks of IP addresses. */
import { isIP } from 'node:net';

/** IPv4 addresses in IPv6 notation, such as ::ffff:203.0.113.7, are treated as IPv4. */
const mappedPrefix = /^::ffff:(?=[\d.]+$)/i;

/**
 * A network whose addresses one client may control. `times`: a limit for a minute or a day is so many times as high for it: a
 * large network may have several households.
 */
export type ClientNetwork = { readonly id: string; readonly times: number };

/** The networks of an address, the smallest first. */
export type ClientNetworks = readonly [ClientNetwork, ...ClientNetwork[]];

/** The network of a client without an address. */
const unknownNetwork: ClientNetwork = { id: 'unknown', times: 1 };

/**
 * Returns the networks that a limit counts: an IPv4 address itself; the /64, the /56 and the /48 of an IPv6 address, because
 * providers give a whole /56 or /48 to one customer, who otherwise has thousands of networks.
 * @param address undefined if the client has closed its connection: all of these clients share one network
 */
export function networksOf(address: string | undefined): ClientNetworks {
  const plain = address?.replace(mappedPrefix, '') ?? '';
  if (plain === '') return [unknownNetwork];
  if (!plain.includes(':') || plain.includes('.')) return [{ id: plain, times: 1 }];
  const [a, b, c, d = ''] = groupsOf(plain);
  const site = `${a}:${b}:${c}`;
  const upperHalf = (Number.parseInt(d, 16) >> 8).toString(16);
  return [
    { id: `${site}:${d}`, times: 1 },
    { id: `${site}:${upperHalf}00/56`, times: 2 },
    { id: `${site}/48`, times: 4 },
  ];
}

/**
 * Returns the largest network of an address. What runs or is held at the same time is shared by these networks, as if each were one
 * client: a customer with a /48 gets no more of it than one with a single address.
 */
export const largestNetworkOf = (address: string | undefined): string => largestOf(networksOf(address));

export const largestOf = (networks: ClientNetworks): string => (networks.at(-1) ?? networks[0]).id;

/** Whether the address tells clients apart. A connection that is closed has no address any more. */
export const isKnownAddress = (address: string | undefined): address is string =>
  address !== undefined && isIP(address) !== 0;

/** Returns a network that identifies a provider but no household: 203.0.113.0/24, 2001:db8:1::/48; null without an address. */
export function truncateAddress(address: string | undefined): string | null {
  const plain = address?.replace(mappedPrefix, '') ?? '';
  if (isIP(plain) === 0) return null;
  if (/^[\d.]+$/.test(plain)) return `${plain.split('.').slice(0, 3).join('.')}.0/24`;
  return `${groupsOf(plain).slice(0, 3).join(':')}::/48`;
}

/** Returns the groups of an IPv6 address, with `::` expanded. */
function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = address.toLowerCase().split('::');
  const [before, after] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = address.includes('::') ? Array(Math.max(0, 8 - before.length - after.length)).fill('0') : [];
  return [...before, ...zeros, ...after].map((group) => group.replace(/^0+(?=.)/, ''));
}
