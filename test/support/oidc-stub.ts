/**
 * An OpenID Connect provider whose responses a test scripts, also wrong ones. It was written from the standards and shares no code
 * with the server.
 */
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Json = Record<string, unknown>;

export const [clientId, clientSecret] = ['potluck client', 'a secret: with / and %'];

/** A person who signs in at the provider. */
export type Account = { sub: string; email?: string; email_verified?: unknown };

/** What a test changes of the next responses. */
type Script = {
  /** Claims of the ID token in place of the right ones; undefined leaves a claim out. */
  claims: Json;
  /** Whether the ID token has the address, or only the response to a request for more about the person. */
  hasClaimsInToken: boolean;
  /** Changes of the metadata. */
  metadata: Json;
  /** Signs with a key that the provider does not publish. */
  hasForeignKey: boolean;
  /** A header of the ID token in place of the right one. */
  header: Json;
  /** Responds in place of the provider, to the requests whose path it knows. */
  respond: (path: string, response: ServerResponse) => boolean;
};

const unscripted = (): Script => ({
  claims: {},
  hasClaimsInToken: true,
  metadata: {},
  hasForeignKey: false,
  header: {},
  respond: () => false,
});

type Issued = { account: Account; nonce: string; challenge: string; redirectUri: string };

const [key, foreignKey] = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));

export class OidcProvider {
  readonly url: string;
  /** `METHOD path authentication` of each request. */
  readonly requests: string[] = [];
  script: Script = unscripted();
  /** Codes that were not exchanged yet. */
  readonly #issued = new Map<string, Issued>();
  readonly #tokens = new Map<string, Account>();

  private constructor(url: string) {
    this.url = url;
  }

  static async open(): Promise<{ provider: OidcProvider; close(): void }> {
    const server = createServer((request, response) => provider.#handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const provider = new OidcProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const close = () => {
      server.closeAllConnections();
      server.close();
    };
    return { provider, close };
  }

  /** The variables of a server that uses the provider. */
  env(): Record<string, string> {
    return { OIDC_ISSUER: this.url, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret };
  }

  reset(): void {
    this.script = unscripted();
  }

  /** What the person's browser does with the address: returns the parameters with which the provider sends it back. */
  authorize(address: string, account: Account): { state: string; code: string; iss: string } {
    const query = new URL(address).searchParams;
    const of = (name: string) => query.get(name) ?? '';
    if (of('response_type') !== 'code' || of('client_id') !== clientId) throw new Error('another request');
    if (of('code_challenge_method') !== 'S256' || !of('scope').split(' ').includes('openid'))
      throw new Error('another request');
    const code = randomUUID();
    const [nonce, challenge, redirectUri] = [of('nonce'), of('code_challenge'), of('redirect_uri')];
    this.#issued.set(code, { account, nonce, challenge, redirectUri });
    return { state: of('state'), code, iss: this.url };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    this.requests.push(`${method} ${url} ${headers.authorization?.split(' ')[0] ?? 'none'}`);
    if (this.script.respond(url, response)) return;
    const body = new URLSearchParams(await text(request));
    const found: Record<string, () => Json | null> = {
      '/.well-known/openid-configuration': () => this.#metadata(),
      '/keys': () => ({ keys: [{ ...key?.publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig' }] }),
      '/token': () => this.#exchange(headers.authorization, body),
      '/userinfo': () => ({ ...this.#tokens.get(headers.authorization?.split(' ')[1] ?? '') }),
    };
    const json = found[url]?.() ?? { error: 'invalid_grant' };
    response.writeHead(json.error === undefined ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(json));
  }

  #metadata(): Json {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      userinfo_endpoint: `${this.url}/userinfo`,
      jwks_uri: `${this.url}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
      ...this.script.metadata,
    };
  }

  #exchange(authorization: string | undefined, body: URLSearchParams): Json | null {
    if (!isClient(authorization, body)) return { error: 'invalid_client' };
    const code = body.get('code') ?? '';
    const issued = this.#issued.get(code);
    this.#issued.delete(code);
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (issued?.challenge !== challenge || issued.redirectUri !== body.get('redirect_uri')) return null;
    const token = randomUUID();
    this.#tokens.set(token, issued.account);
    return { access_token: token, token_type: 'Bearer', id_token: this.#idToken(issued) };
  }

  #idToken({ account, nonce }: Issued): string {
    const { claims, hasClaimsInToken, hasForeignKey, header } = this.script;
    const now = Math.floor(Date.now() / 1000);
    const about = hasClaimsInToken ? account : { sub: account.sub };
    const payload = { iss: this.url, aud: clientId, iat: now, exp: now + 300, nonce, ...about, ...claims };
    const parts = [{ alg: 'RS256', kid: 'k', ...header }, payload].map(base64);
    const { privateKey } = (hasForeignKey ? foreignKey : key) ?? {};
    if (!privateKey) throw new Error('no key');
    return `${parts.join('.')}.${sign('sha256', Buffer.from(parts.join('.')), privateKey).toString('base64url')}`;
  }
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Basic authentication encodes both parts as in a form first (RFC 6749, section 2.3.1). */
function isClient(authorization: string | undefined, body: URLSearchParams): boolean {
  const basic = /^Basic (.+)$/.exec(authorization ?? '')?.[1];
  const given = basic
    ? Buffer.from(basic, 'base64').toString().split(':').map(formDecoded)
    : [body.get('client_id'), body.get('client_secret')];
  return given[0] === clientId && given[1] === clientSecret;
}

const formDecoded = (part: string): string => new URLSearchParams(`p=${part}`).get('p') ?? '';
