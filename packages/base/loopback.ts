import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Returns true if only this machine can connect to the host: a loopback address, or the name `localhost`. */
export function isLoopbackHost(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

/** Returns true if the host of the URL is a loopback host. @throws TypeError if the text is not a URL */
export const isLoopbackUrl = (url: string): boolean =>
  isLoopbackHost(new URL(url).hostname.replace(/^\[|\]$/g, ''));
