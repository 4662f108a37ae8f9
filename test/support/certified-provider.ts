/// <reference path="./oidc-provider.d.ts" />
/**
 * A provider that the OpenID Foundation has certified, the package `oidc-provider`, with a page at which a person enters a name.
 * A name that is an address of `example.org` is also the person's verified address.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';

export type Client = { id: string; secret: string; method: 'client_secret_basic' | 'client_secret_post' };

/** @param callback the address to which the provider sends people back */
export async function openCertifiedProvider(
  port: number,
  callback: string,
  client: Client,
): Promise<{ issuer: string; close(): void }> {
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, configurationOf(callback, client));
  const handle = provider.callback();
  const server = createServer((request, response) =>
    request.url?.startsWith('/login/') ? void logIn(provider, request, response) : handle(request, response),
  );
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { issuer, close };
}

type Context = { oidc: { provider: Provider; client: { clientId: string }; session: { accountId: string } } };

const configurationOf = (callback: string, { id, secret, method }: Client): Record<string, unknown> => ({
  clients: [
    {
      client_id: id,
      client_secret: secret,
      token_endpoint_auth_method: method,
      redirect_uris: [callback],
      response_types: ['code'],
      grant_types: ['authorization_code'],
    },
  ],
  clientAuthMethods: [method],
  cookies: { keys: [randomUUID()] },
  pkce: { required: () => true },
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_: unknown, { uid }: { uid: string }) => `/login/${uid}` },
  findAccount: (_: unknown, accountId: string) => ({
    accountId,
    claims: () => ({
      sub: accountId,
      email: accountId.includes('@') ? accountId : undefined,
      email_verified: accountId.endsWith('@example.org'),
    }),
  }),
  // People are not asked what the client may learn.
  async loadExistingGrant({ oidc: { provider, client, session } }: Context) {
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope('openid email');
    await grant.save();
    return grant;
  },
});

const page = `<!doctype html><html lang="en"><title>Village account</title><form method="post">
  <label>Name <input name="name"></label> <button>Log in</button> <button name="cancel" value="1">Cancel</button></form></html>`;

async function logIn(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET')
    return void response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  const form = new URLSearchParams(await text(request));
  const result = form.has('cancel')
    ? { error: 'access_denied' }
    : { login: { accountId: form.get('name') ?? '' } };
  await provider.interactionFinished(request, response, result);
}
