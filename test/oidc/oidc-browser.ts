/** A browser that signs in at a provider: it keeps the cookies that the server sets. */
import assert from 'node:assert/strict';
import { fromPage } from '../support/factories.ts';
import type { Account, OidcProvider } from '../support/oidc-stub.ts';
import { type Api, type ApiResponse, expectStatus } from '../support/setup.ts';

export type Response = { state: string; code?: string; iss?: string; error?: string };

export class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #provider: OidcProvider;

  constructor(provider: OidcProvider) {
    this.#provider = provider;
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Keeps a cookie as the browser would. @param cookie `NAME=VALUE` */
  keep(cookie: string): void {
    const [name = '', value = ''] = cookie.split('=', 2);
    this.#cookies.set(name, value);
  }

  async send(on: Api, method: string, path: string, body?: unknown): Promise<ApiResponse> {
    const response = await on.call(method, path, { body, headers: { ...fromPage, cookie: this.cookie } });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      assert.match(cookie, /; HttpOnly; .*SameSite=Lax$/);
      if (cookie.includes('Max-Age=0')) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }

  /** Begins a sign-in, or a link for the session of the browser, and returns what the provider sends back. */
  async begin(on: Api, account: Account, path = '/v1/auth/oidc/start', next?: string) {
    const body = next === undefined ? {} : { next };
    const started = expectStatus(await this.send(on, 'POST', path, body), 200);
    return this.#provider.authorize(started.body.url, account);
  }

  finish(on: Api, response: Response): Promise<ApiResponse> {
    return this.send(on, 'POST', '/v1/auth/oidc/finish', response);
  }

  async signIn(on: Api, account: Account): Promise<ApiResponse['body']> {
    return expectStatus(await this.finish(on, await this.begin(on, account)), 200).body;
  }

  async link(on: Api, account: Account): Promise<ApiResponse> {
    return this.finish(on, await this.begin(on, account, '/v1/me/oidc'));
  }
}

let subjects = 0;
/** A person at the provider, with an address that it has verified if there is one. */
export const newAccount = (email?: string): Account => ({
  sub: `subject-${++subjects}`,
  ...(email !== undefined && { email, email_verified: true }),
});
