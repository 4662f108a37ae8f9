import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True if only this machine can connect to the host: a loopback address, or the name `localhost`. */
export function isLoopbackHost(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

/** The same for the host of an address such as http://[::1]:3000. */
export const isLoopbackUrl = (url: string) => isLoopbackHost(new URL(url).hostname.replace(/^\[|\]$/g, ''));
