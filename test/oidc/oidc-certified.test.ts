/** Signing in at a certified provider over HTTP, as a browser does, with both methods of the client secret. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Client, openCertifiedProvider } from '../support/certified-provider.ts';
import { addAddress, createUser, fromPage, nextAddress } from '../support/factories.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const publicUrl = 'http://127.0.0.1:3999';

/** Starts a provider, and a server that uses it. */
async function start(client: Client) {
  const [port = 0] = await findFreePorts(1);
  const provider = await openCertifiedProvider(port, `${publicUrl}/sign-in/oidc`, client);
  const env = {
    PUBLIC_URL: publicUrl,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret,
  };
  return { provider, server: await api.startAnother({ env }) };
}

/** Follows the pages of the provider, and enters a name; null cancels. Returns the parameters of the page at the end. */
async function visit(address: string, name: string | null): Promise<Record<string, string>> {
  const cookies = new Map<string, string>();
  let [url, form]: [URL, string | null] = [new URL(address), null];
  while (url.origin !== publicUrl) {
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) },
      ...(form && { method: 'POST', body: form }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(key, value);
    }
    const location = response.headers.get('location');
    if (location) [url, form] = [new URL(location, url), null];
    else if (form) assert.fail(`${response.status} ${await response.text()}`);
    else form = new URLSearchParams(name === null ? { cancel: '1' } : { name }).toString();
  }
  return Object.fromEntries(url.searchParams);
}

async function signIn(server: TestApp, name: string | null) {
  const started = await server.call('POST', '/v1/auth/oidc/start', { body: {}, headers: fromPage });
  const [cookie = ''] = expectStatus(started, 200).headers.getSetCookie()[0]?.split(';', 1) ?? [];
  const { error_description: _, ...body } = await visit(started.body.url, name);
  const finish = () =>
    server.call('POST', '/v1/auth/oidc/finish', { body, headers: { ...fromPage, cookie } });
  return { finish };
}

for (const method of ['client_secret_basic', 'client_secret_post'] as const) {
  test(`certified provider: 200 with ${method}, for new people, known ones, and an address that links`, async () => {
    const { provider, server } = await start({ id: 'potluck', secret: 'a secret: with / and %', method });
    try {
      const first = expectStatus(await (await signIn(server, 'mara')).finish(), 200).body;
      assert.deepEqual([first.isNewUser, first.user.oidc], [true, `${provider.issuer}/ mara`]);
      const again = expectStatus(await (await signIn(server, 'mara')).finish(), 200).body;
      assert.deepEqual([again.isNewUser, again.user.id], [false, first.user.id]);
      const owner = await createUser(server);
      const email = await addAddress(server, owner);
      const linked = expectStatus(await (await signIn(server, email.toLowerCase())).finish(), 200).body;
      assert.deepEqual([linked.isNewUser, linked.user.id], [false, owner.id]);
      const unverified = nextAddress().replace('.org', '.com');
      const other = expectStatus(await (await signIn(server, unverified)).finish(), 200).body;
      assert.deepEqual([other.isNewUser, other.user.email], [true, null]);
      await assertCounters(server.sql);
    } finally {
      provider.close();
    }
  });
}

test('certified provider: 400 for a cancelled sign-in, a replayed code, and 503 with a wrong secret or without it', async () => {
  const method = 'client_secret_basic';
  const { provider, server } = await start({ id: 'potluck', secret: 'right', method });
  expectProblem(await (await signIn(server, null)).finish(), 400, 'oidc_cancelled');
  const { finish } = await signIn(server, 'replayed');
  expectStatus(await finish(), 200);
  // The copy of a cookie that the browser has forgotten.
  expectProblem(await finish(), 400, 'oidc_expired');
  const env = { PUBLIC_URL: publicUrl, OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'potluck' };
  const wrong = await api.startAnother({ env: { ...env, OIDC_CLIENT_SECRET: 'wrong' } });
  expectProblem(await (await signIn(wrong, 'mara')).finish(), 503, 'oidc_unavailable');
  const { finish: finishLater } = await signIn(server, 'mara');
  provider.close();
  expectProblem(await finishLater(), 503, 'oidc_unavailable');
});
