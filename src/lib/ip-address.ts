/** Whoever has an IPv6 address has the 2⁶⁴ beside it; an IPv4 address stands for itself, however it is written. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return plain.includes(':') && !plain.includes('.') ? groupsOf(plain).slice(0, 4).join(':') : plain;
}

/** As much of an address as tells a country and a provider, and no household: 203.0.113.0/24, 2001:db8:1::/48. */
export function truncateAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (/^[\d.]+$/.test(plain)) return `${plain.split('.').slice(0, 3).join('.')}.0/24`;
  return `${groupsOf(plain).slice(0, 3).join(':')}::/48`;
}

function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [head, tail].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = address.includes('::') ? Array(Math.max(0, 8 - before.length - after.length)).fill('0') : [];
  return [...before, ...zeros, ...after];
}
