/** How clients find PUBLIC_URL: its name in the DNS, and its certificate. */
import { lookup } from 'node:dns/promises';
import { connect, type TLSSocket } from 'node:tls';
import { dayMs } from '#base';
import { broken, type Check, good, type Result, skipped, warning } from '../../doctor/finding.ts';

export const dns: Check = {
  name: 'DNS',
  variables: ['PUBLIC_URL', 'HOST'],
  async run({ config: { publicUrl } }) {
    const host = hostOf(publicUrl);
    const addresses = await lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) => error);
    if (Array.isArray(addresses))
      return good(`${host} has the address ${addresses.map(({ address }) => address).join(', ')}.`);
    return broken(
      `The name ${host} of PUBLIC_URL has no address (${addresses.code}).`,
      'Add an A or AAAA record for it at the provider of the domain, or correct PUBLIC_URL.',
    );
  },
};

const hostOf = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '');

/** Certificates are usually renewed 30 days before they expire. */
const warnBelowDays = 14;

export const certificate: Check = {
  name: 'certificate',
  variables: ['PUBLIC_URL', 'HOST'],
  async run({ config: { publicUrl, isLocal } }) {
    const { protocol, port } = new URL(publicUrl);
    if (protocol === 'http:') return describePlain(isLocal);
    const socket = await handshake(hostOf(publicUrl), Number(port || 443)).catch((error: Error) => error);
    if (socket instanceof Error)
      return broken(
        `There is no TLS connection to ${new URL(publicUrl).host}: ${socket.message}.`,
        'Start the proxy, let it terminate TLS at this address, and open its port in the firewall.',
      );
    const { valid_to: until } = socket.getPeerCertificate();
    const reason = socket.authorizationError as Error | string | null;
    socket.destroy();
    return describeCertificate(until, reason === null || reason === undefined ? null : `${reason}`);
  },
};

const describePlain = (isLocal: boolean): Result =>
  isLocal
    ? skipped('PUBLIC_URL is an address of this machine, without TLS.')
    : warning(
        'PUBLIC_URL starts with http://: all that people send can be read on the way, and web push is off.',
        'Put a proxy with a certificate in front of the server (docs/operating.md, Reverse proxy).',
      );

function handshake(host: string, port: number): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  // The reason why the certificate is refused is read afterwards.
  const socket = connect({
    host,
    port,
    servername: /[a-z]/i.test(host) && !host.includes(':') ? host : '',
    rejectUnauthorized: false,
  });
  socket.setTimeout(5_000, () => socket.destroy(new Error('no response within 5 s')));
  socket.once('secureConnect', () => resolve(socket)).on('error', reject);
  return promise;
}

const refusals: [RegExp, string, string][] = [
  [/EXPIRED/, 'has expired', 'Renew it, and let the proxy load it.'],
  [/NOT_YET_VALID/, 'is not valid yet', 'Correct the clock of this machine, or the certificate.'],
  [/ALTNAME/, 'is for another name', 'Get a certificate for the host of PUBLIC_URL, or correct PUBLIC_URL.'],
  [
    /SELF_SIGNED|UNABLE_TO|ISSUER/,
    'is not signed by a known authority',
    'Let the proxy send the whole chain (fullchain.pem). For an authority of your own, set NODE_EXTRA_CA_CERTS.',
  ],
];

function describeCertificate(until: string, refusal: string | null): Result {
  const date = new Date(until);
  const day = Number.isNaN(date.getTime()) ? until : date.toISOString().slice(0, 10);
  if (refusal !== null) {
    const [, what, next] = refusals.find(([pattern]) => pattern.test(refusal)) ?? [];
    return broken(
      `The certificate of PUBLIC_URL ${what ?? 'is refused'} (${refusal}); it is valid until ${day}.`,
      next ?? 'Replace the certificate.',
    );
  }
  const days = Math.floor((date.getTime() - Date.now()) / dayMs);
  const text = `The certificate of PUBLIC_URL is valid until ${day}, for ${days} days.`;
  return days < warnBelowDays
    ? warning(text, 'Renew it: the automatic renewal may have failed.')
    : good(text);
}
