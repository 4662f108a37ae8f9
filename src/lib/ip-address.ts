/** Networks of IP addresses. */

/** IPv4 addresses in IPv6 notation, such as ::ffff:203.0.113.7, are treated as IPv4. */
const mappedPrefix = /^::ffff:(?=[\d.]+$)/i;

/** Returns the network that one client controls: the /64 of an IPv6 address, or the IPv4 address itself. */
export function networkOf(address: string): string {
  const plain = address.replace(mappedPrefix, '');
  return plain.includes(':') && !plain.includes('.') ? groupsOf(plain).slice(0, 4).join(':') : plain;
}

/** Returns a network that identifies a provider but no household: 203.0.113.0/24, 2001:db8:1::/48. */
export function truncateAddress(address: string): string {
  const plain = address.replace(mappedPrefix, '');
  if (/^[\d.]+$/.test(plain)) return `${plain.split('.').slice(0, 3).join('.')}.0/24`;
  return `${groupsOf(plain).slice(0, 3).join(':')}::/48`;
}

/** Returns the groups of an IPv6 address, with `::` expanded. */
function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = address.includes('::') ? Array(Math.max(0, 8 - before.length - after.length)).fill('0') : [];
  return [...before, ...zeros, ...after];
}
