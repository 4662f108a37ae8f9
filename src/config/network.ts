/** Where the server is reached, and by whom. */
import { isIP } from 'node:net';
import { isLoopbackHost, isLoopbackUrl } from '#base';
import { isUrl, isWhole, type Reader } from './reader.ts';

type Reach = { host: string; publicUrl: string | undefined; trustProxy: string[] | false };

/**
 * Returns the variables that may let other machines reach this server. A server behind a proxy can listen on
 * loopback.
 */
export function exposingVariables({ host, publicUrl, trustProxy }: Reach): string[] {
  const names: string[] = [];
  if (!isLoopbackHost(host)) names.push('HOST');
  if (trustProxy) names.push('TRUST_PROXY');
  if (publicUrl !== undefined && !isLoopbackUrl(publicUrl)) names.push('PUBLIC_URL');
  return names;
}

export function readPublicUrl(read: Reader, production: boolean): string | undefined {
  if (production && read.text('PUBLIC_URL') === undefined) {
    read.faults.push('PUBLIC_URL is not set; in production it must be: links to images begin with it.');
  }
  const url = read.url('PUBLIC_URL', ['http:', 'https:']);
  if (url === undefined) return undefined;
  const { origin, pathname, search, hash, username, password } = new URL(url);
  // Links and cookies are those of a whole origin.
  if (pathname !== '/' || search + hash + username + password !== '')
    read.faults.push(
      'PUBLIC_URL must have a scheme, a host and a port only, such as https://events.example.org: ' +
        'Potluck serves its pages at the root of a host, not below a path.',
    );
  return origin;
}

/** Returns the URL of the server for clients on this machine. A URL has no zone, as fe80::1%eth0 does. */
export function localUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.replace(/%.*$/, '');
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const networks = /^(loopback|linklocal|uniquelocal)$/;

export function readProxies(read: Reader): string[] | false {
  const value = read.text('TRUST_PROXY');
  if (value === undefined || value === 'off') return false;
  const proxies = value.split(',').map((proxy) => proxy.trim());
  for (const proxy of proxies) {
    const [address = '', bits, ...rest] = proxy.split('/');
    const maxBits = isIP(address) === 6 ? 128 : 32;
    // "0" is no mask of the parser, and would let every client forge its address.
    if (isIP(address) !== 0 && /^0+$/.test(bits ?? '')) {
      read.faults.push(
        `TRUST_PROXY has "${proxy}", which is every address: clients could then forge theirs. Name the proxies.`,
      );
      continue;
    }
    const isNetwork = isIP(address) !== 0 && rest.length === 0 && isWhole(bits ?? '0', 0, maxBits);
    if (!isNetwork && !networks.test(proxy)) {
      read.faults.push(
        `TRUST_PROXY has "${proxy}"; it must be a list of addresses, networks such as 10.0.0.0/8, ` +
          'or loopback, linklocal or uniquelocal.',
      );
    }
  }
  return proxies;
}

export function readOrigins(read: Reader): '*' | string[] {
  const value = read.text('CORS_ORIGINS') ?? '*';
  if (value === '*') return value;
  if (value === 'off') return [];
  const origins = value.split(',').map((origin) => origin.trim());
  for (const origin of origins) {
    // Requests are compared with the serialization that browsers send.
    if (!isUrl(origin, ['http:', 'https:']) || new URL(origin).origin !== origin) {
      read.faults.push(
        `CORS_ORIGINS has "${origin}"; it must be *, off, or a list of origins such as https://app.example.org, ` +
          'without a slash at the end.',
      );
    }
  }
  return origins;
}
