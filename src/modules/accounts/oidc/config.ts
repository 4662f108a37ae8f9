/** The OpenID Connect provider with which people sign in. No fault shows the secret. */
import { isLoopbackUrl } from '#base';
import { isUrl, type Reader } from '../../../config/reader.ts';

/** `issuer`: as the URL parser writes it: that of the provider may lack the slash after the host. */
export type OidcConfig = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What pages call the provider. */
  name: string;
  /** How the server proves its secret; undefined for the first method that the provider supports. */
  clientAuth: 'client_secret_basic' | 'client_secret_post' | undefined;
};

const variables = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_NAME', 'OIDC_CLIENT_AUTH'];
/** The variables whose values no output of the command doctor may contain. */
export const oidcSecrets = ['OIDC_CLIENT_SECRET'];
const methods = ['client_secret_basic', 'client_secret_post'] as const;
const maxNameLength = 40;

/** @returns undefined if no variable is set */
export function readOidc(read: Reader): OidcConfig | undefined {
  const [issuer, clientId, clientSecret, name, method] = variables.map(read.text);
  if (!(issuer || clientId || clientSecret || name || method)) return undefined;
  const why = 'signing in with OpenID Connect needs it';
  for (const variable of variables.slice(0, 3)) read.needed(variable, why);
  const url = readIssuer(read, issuer);
  const clientAuth = method === undefined ? undefined : read.oneOf('OIDC_CLIENT_AUTH', methods, methods[0]);
  return {
    issuer: url?.href ?? '',
    clientId: clientId ?? '',
    clientSecret: clientSecret ?? '',
    name: readName(read, name) ?? url?.host ?? '',
    clientAuth,
  };
}

function readIssuer(read: Reader, issuer: string | undefined): URL | undefined {
  if (issuer === undefined) return undefined;
  const url = isUrl(issuer, ['https:', 'http:']) ? new URL(issuer) : null;
  if (!url || url.username + url.password + url.search + url.hash !== '') {
    read.faults.push(
      'OIDC_ISSUER must be an address that starts with https://, without user and query, such as https://id.example.org.',
    );
  } else if (url.protocol === 'http:' && !isLoopbackUrl(issuer)) {
    read.faults.push('OIDC_ISSUER starts with http://, which is only allowed for a loopback address.');
  } else if (url.pathname.includes('/.well-known/')) {
    read.faults.push('OIDC_ISSUER must be the address before /.well-known/openid-configuration.');
  } else {
    return url;
  }
  return undefined;
}

function readName(read: Reader, name: string | undefined): string | undefined {
  if (name !== undefined && (name.length > maxNameLength || /\p{Cc}/u.test(name)))
    read.faults.push(`OIDC_NAME must have at most ${maxNameLength} characters on one line.`);
  return name;
}
