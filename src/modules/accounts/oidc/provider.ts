/** The OpenID Connect provider: the authorization code flow with PKCE. */
import type { FastifyBaseLogger } from 'fastify';
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { lazily, singleFlight, withTimeout } from '#base';
import { requestSpan } from '#telemetry';
import { type Contact, identityOf, type MessageContact } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { canonicalAddress } from '../../../lib/mail-address.ts';
import type { OidcConfig } from './config.ts';
import type { Flow } from './flows.ts';
import { problemOf } from './provider-errors.ts';

/** The path of the page to which the provider sends people back. */
const callbackPath = '/sign-in/oidc';
/** What the server asks for: who the person is, and the address. */
const scope = 'openid email';
/** For each request, and for all of a call, which are up to four. Shorter than that of a request, so that the response names the reason. */
const [requestTimeoutSeconds, timeoutMs] = [3, 4_000];
/** The provider may change its endpoints. Its keys are read again as they change. */
const metadataLifetimeMs = 60 * 60_000;
/** The length of a subject (OpenID Connect Core 1.0, section 2). */
const maxSubjectLength = 255;

/** What the provider says about a person. `address`: undefined unless it has verified one. */
export type ProvenIdentity = { identity: Contact; address: MessageContact | undefined };

/** What the provider sends back with the person. */
export type ProviderResponse = { state: string; code?: string; iss?: string; error?: string };

/** The path and the body of a request may have the code of a sign-in; the span has neither. */
const fetchTraced: CustomFetch = (url, options) =>
  requestSpan('ask the OpenID Connect provider', { method: options.method, url }, (traceHeaders) =>
    fetch(url, {
      ...options,
      body: options.body ?? null,
      headers: { ...traceHeaders, ...options.headers },
    }),
  );

const loadClient = lazily(() => import('openid-client'));

export class Provider {
  readonly #config: OidcConfig;
  readonly #redirectUri: string;
  readonly #log: FastifyBaseLogger;
  #discovered: { configuration: Configuration; at: number } | null = null;

  constructor(config: OidcConfig, { publicUrl, log }: { publicUrl: string; log: FastifyBaseLogger }) {
    this.#config = config;
    this.#redirectUri = publicUrl + callbackPath;
    this.#log = log;
  }

  /** The address at which a person signs in. @throws Problem `oidc_unavailable` */
  authorizationUrl({ state, nonce, verifier }: Flow): Promise<string> {
    return this.#call(async (configuration) => {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await loadClient();
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: this.#redirectUri,
        scope,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    });
  }

  /**
   * Exchanges the code of a response for the identity. The client verifies the state and issuer of the response, and the signature,
   * issuer, audience, nonce and time of the ID token.
   * @throws Problem `oidc_cancelled`, `oidc_expired`, `oidc_invalid`, `oidc_unavailable`
   */
  redeem({ state, nonce, verifier }: Flow, response: ProviderResponse): Promise<ProvenIdentity> {
    return this.#call(async (configuration) => {
      const { authorizationCodeGrant } = await loadClient();
      const url = new URL(this.#redirectUri);
      url.search = new URLSearchParams(response).toString();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const tokens = await authorizationCodeGrant(configuration, url, checks);
      const claims = tokens.claims();
      const { issuer } = this.#config;
      // One document may describe the issuers of many tenants, which vouch for any address.
      if (!claims || new URL(claims.iss).href !== issuer) throw new Problem('oidc_invalid');
      if (claims.sub.length > maxSubjectLength) throw new Problem('oidc_invalid');
      const about = claims.email === undefined ? await readUserInfo(configuration, tokens) : claims;
      return { identity: identityOf(issuer, claims.sub), address: verifiedAddress(about) };
    });
  }

  async #call<T>(work: (configuration: Configuration) => Promise<T>): Promise<T> {
    try {
      const late = () => new Problem('oidc_unavailable');
      return await withTimeout(this.#configuration().then(work), timeoutMs, late);
    } catch (error) {
      throw problemOf(error, this.#log, this.#discovered !== null);
    }
  }

  async #configuration(): Promise<Configuration> {
    const known = this.#discovered;
    if (known && performance.now() - known.at < metadataLifetimeMs) return known.configuration;
    this.#discovered = null;
    return this.#discover();
  }

  /** Reads the provider's description of itself. A failure is not remembered. */
  readonly #discover = singleFlight(async () => {
    const { discovery, allowInsecureRequests, customFetch, enableNonRepudiationChecks } = await loadClient();
    const { issuer, clientId } = this.#config;
    const configuration = await discovery(new URL(issuer), clientId, undefined, await this.#clientAuth(), {
      // A provider on this machine may be without encryption (modules/accounts/oidc/config.ts).
      execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
      timeout: requestTimeoutSeconds,
      [customFetch]: fetchTraced,
    });
    // The signature is verified also where TLS proves who sent the ID token: a proxy between the two may end TLS.
    enableNonRepudiationChecks(configuration);
    this.#discovered = { configuration, at: performance.now() };
    return configuration;
  });

  /** Proves the secret by the configured method, or by the first one that the provider supports. */
  async #clientAuth(): Promise<ClientAuth> {
    const { ClientSecretBasic, ClientSecretPost } = await loadClient();
    const { clientSecret, clientAuth } = this.#config;
    const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
    return (server, ...request) => {
      // A provider that names no method supports the first one (OpenID Connect Discovery 1.0, section 3).
      const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      const isPost = clientAuth
        ? clientAuth === 'client_secret_post'
        : !supported.includes('client_secret_basic') && supported.includes('client_secret_post');
      return (isPost ? post : basic)(server, ...request);
    };
  }
}

/** Some providers leave the address out of the ID token. @returns nothing if the provider has no more to say */
async function readUserInfo(
  configuration: Configuration,
  tokens: { access_token: string; claims(): { sub: string } | undefined },
): Promise<Claims> {
  const { fetchUserInfo } = await loadClient();
  const sub = tokens.claims()?.sub;
  if (sub === undefined || configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  return fetchUserInfo(configuration, tokens.access_token, sub);
}

type Claims = Record<string, unknown>;

/** The standard has the truth value `true`. A text such as "false" would be true, too. */
function verifiedAddress({ email, email_verified: isVerified }: Claims): MessageContact | undefined {
  const value = isVerified === true && typeof email === 'string' ? canonicalAddress(email) : null;
  return value === null ? undefined : { kind: 'email', value };
}
