/** What a provider that is down, slow, wrong or not the right one can do, and responses of others. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import test, { after } from 'node:test';
import { createUser, fromPage, nextAddress } from '../support/factories.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { type Account, clientSecret, OidcProvider } from '../support/oidc-stub.ts';
import { type Api, expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';
import { Browser, newAccount } from './oidc-browser.ts';

const { provider, close } = await OidcProvider.open();
after(close);
const clock = new TestClock();
const api = await startTestApp({
  clock,
  env: { ...provider.env(), TRUST_PROXY: 'loopback', DEV_CODES: 'on' },
});
const browser = () => new Browser(provider);

/** Signs in while the provider responds as scripted, and expects a problem; the next sign-in works. */
async function refused(status: number, code: string, account: Account = newAccount(), on: Api = api) {
  const visitor = browser();
  const response = await visitor.begin(on, account);
  const { body } = expectProblem(await visitor.finish(on, response), status, code);
  for (const secret of [clientSecret, response.code, account.sub])
    assert.ok(!JSON.stringify(body).includes(secret));
  assert.doesNotMatch(visitor.cookie, /potluck-\d+=/);
}
const accounts = async () => (await api.sql`select count(*)::int as n from users`)[0]?.n;

test('response: 400 for an ID token with a wrong signature, issuer, audience, nonce or time, and no account', async () => {
  const before = await accounts();
  const now = Math.floor(Date.now() / 1000);
  const wrong: [string, Partial<OidcProvider['script']>][] = [
    ['signature', { hasForeignKey: true }],
    ['algorithm', { header: { alg: 'none' } }],
    ['key', { header: { kid: 'another' } }],
    ['issuer', { claims: { iss: 'http://127.0.0.1:1' } }],
    ['audience', { claims: { aud: 'another client' } }],
    ['several audiences', { claims: { aud: ['another client', 'a third one'] } }],
    ['nonce', { claims: { nonce: 'of another sign-in' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['time', { claims: { exp: now - 60, iat: now - 360 } }],
    ['no time', { claims: { exp: undefined } }],
    ['subject', { claims: { sub: undefined } }],
  ];
  for (const [what, script] of wrong) {
    Object.assign(provider.script, script);
    await refused(400, 'oidc_invalid').catch((error) => assert.fail(`${what}: ${error}`));
    provider.reset();
  }
  await refused(400, 'oidc_invalid', { sub: 'x'.repeat(256) });
  assert.equal(await accounts(), before);
  assert.equal((await browser().signIn(api, newAccount())).isNewUser, true);
});

test('response: an ID token names no key and no address of keys that the server would read', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  assert.ok(privateKey);
  const jwk = publicKey.export({ format: 'jwk' });
  provider.script.hasForeignKey = true;
  provider.script.header = { jwk, jku: `${provider.url}/other-keys` };
  await refused(400, 'oidc_invalid');
  provider.reset();
  assert.ok(!provider.requests.some((line) => line.includes('other-keys')));
});

test('response: 400 for more about the person that is about another subject', async () => {
  provider.script.hasClaimsInToken = false;
  provider.script.claims = { sub: 'the subject of the token' };
  await refused(400, 'oidc_invalid', newAccount(nextAddress()));
  provider.reset();
});

test('response: 400 oidc_invalid if another issuer sends it, also without asking the provider', async () => {
  const visitor = browser();
  const response = await visitor.begin(api, newAccount());
  const before = provider.requests.length;
  const iss = 'http://127.0.0.1:1';
  expectProblem(await visitor.finish(api, { ...response, iss }), 400, 'oidc_invalid');
  const { iss: _, ...without } = response;
  expectProblem(await visitor.finish(api, without), 400, 'oidc_invalid');
  assert.equal(provider.requests.length, before);
});

test('response: 400 oidc_expired for a replayed one, one of another browser or another sign-in, and after ten minutes', async () => {
  const [visitor, other] = [browser(), browser()];
  const account = newAccount();
  const response = await visitor.begin(api, account);
  const unused = await other.begin(api, newAccount());
  expectProblem(await other.finish(api, response), 400, 'oidc_expired');
  expectProblem(await browser().finish(api, response), 400, 'oidc_expired');
  expectProblem(await visitor.finish(api, { ...response, state: unused.state }), 400, 'oidc_expired');
  const { cookie } = visitor;
  expectStatus(await visitor.finish(api, response), 200);
  expectProblem(await visitor.finish(api, response), 400, 'oidc_expired');
  // A copy of the cookie is no use either: the provider exchanges a code once.
  const headers = { ...fromPage, cookie };
  expectProblem(
    await api.call('POST', '/v1/auth/oidc/finish', { body: response, headers }),
    400,
    'oidc_expired',
  );
  const late = await visitor.begin(api, account);
  clock.advance(10 * 60_000);
  expectProblem(await visitor.finish(api, late), 400, 'oidc_expired');
});

test('response: the code of another sign-in is refused by its PKCE challenge, or by its nonce', async () => {
  const [victim, attacker] = [browser(), browser()];
  const stolen = await victim.begin(api, newAccount());
  const own = await attacker.begin(api, newAccount());
  expectProblem(await attacker.finish(api, { ...own, code: stolen.code }), 400, 'oidc_expired');
});

test('cookie: 400 for one that was changed, or that another server made; it has no secret in clear text', async () => {
  const visitor = browser();
  const response = await visitor.begin(api, newAccount());
  const [name = '', value = ''] = visitor.cookie.split('=');
  assert.ok(!Buffer.from(value, 'base64url').toString('latin1').includes('verifier'));
  const changed = Buffer.from(value, 'base64url');
  changed[40] = (changed[40] ?? 0) ^ 1;
  const foreign = await api.startAnother({ env: { ...provider.env(), SECRET_KEY: 'x'.repeat(40) } });
  for (const [on, cookie] of [
    [api, `${name}=${changed.toString('base64url')}`],
    [api, `${name}=`],
    [foreign, visitor.cookie],
  ] as const) {
    const headers = { ...fromPage, cookie };
    expectProblem(
      await on.call('POST', '/v1/auth/oidc/finish', { body: response, headers }),
      400,
      'oidc_expired',
    );
  }
});

test('cancelled: 400 oidc_cancelled, and 503 for other errors that the provider reports; their text is not shown', async () => {
  for (const [error, status, code] of [
    ['access_denied', 400, 'oidc_cancelled'],
    ['server_error', 503, 'oidc_unavailable'],
    ['temporarily_unavailable', 503, 'oidc_unavailable'],
  ] as const) {
    const visitor = browser();
    const { state, iss } = await visitor.begin(api, newAccount());
    const { body } = expectProblem(await visitor.finish(api, { state, iss, error }), status, code);
    assert.ok(!JSON.stringify(body).includes(error));
    // A state of another browser proves nothing about this one.
    expectProblem(await browser().finish(api, { state, iss, error }), 400, 'oidc_expired');
  }
});

test('start: 403 from another site, which could begin a sign-in or a link in the browser of a person', async () => {
  const { token } = await createUser(api);
  const headers = { 'sec-fetch-site': 'cross-site' };
  const started = await api.call('POST', '/v1/auth/oidc/start', { body: {}, headers });
  expectProblem(started, 403, 'cross_site_request');
  const visitor = browser();
  await visitor.signIn(api, newAccount());
  const link = { body: {}, headers: { ...headers, cookie: visitor.cookie } };
  expectProblem(await api.call('POST', '/v1/me/oidc', link), 403, 'cross_site_request');
  expectStatus(await api.post('/v1/me/oidc', token, {}), 200);
});

test('down: 503 oidc_unavailable at once; the server has started, other ways work, and later sign-ins do', async () => {
  const [port] = await findFreePorts(1);
  const env = { ...provider.env(), OIDC_ISSUER: `http://127.0.0.1:${port}` };
  const server = await api.startAnother({ env });
  expectProblem(await browser().send(server, 'POST', '/v1/auth/oidc/start', {}), 503, 'oidc_unavailable');
  await createUser(server);
  provider.script.respond = (path, response) => {
    if (path !== '/token') return false;
    response.destroy();
    return true;
  };
  const visitor = browser();
  const response = await visitor.begin(api, newAccount());
  expectProblem(await visitor.finish(api, response), 503, 'oidc_unavailable');
  provider.reset();
  // The sign-in was not lost: its cookie stays until it is used.
  expectStatus(await visitor.finish(api, response), 200);
});

test('slow: 503 oidc_unavailable while the provider does not respond, and requests to others meanwhile', async () => {
  const held: (() => void)[] = [];
  provider.script.respond = (path, response) => {
    if (path !== '/token') return false;
    held.push(() => response.destroy());
    return true;
  };
  const visitor = browser();
  const finishing = visitor.finish(api, await visitor.begin(api, newAccount()));
  await createUser(api);
  expectProblem(await finishing, 503, 'oidc_unavailable');
  for (const release of held) release();
  provider.reset();
});

test('wrong: 503 for a provider with another issuer in its description, with errors, redirects and other texts', async () => {
  const scripts: Partial<OidcProvider['script']>[] = [
    { metadata: { issuer: 'http://127.0.0.1:1' } },
    ...[500, 302].map((status) => ({
      respond: (_: string, response: Parameters<OidcProvider['script']['respond']>[1]) => {
        response.writeHead(status, { location: `${provider.url}/elsewhere` }).end();
        return true;
      },
    })),
    {
      respond: (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Not found</p>');
        return true;
      },
    },
  ];
  for (const script of scripts) {
    const server = await api.startAnother();
    Object.assign(provider.script, script);
    const started = await browser().send(server, 'POST', '/v1/auth/oidc/start', {});
    expectProblem(started, 503, 'oidc_unavailable');
    provider.reset();
    await browser().signIn(server, newAccount());
  }
  assert.ok(!provider.requests.some((line) => line.includes('elsewhere')));
});

test('secret: 503 oidc_unavailable if the provider does not accept it', async () => {
  const server = await api.startAnother({ env: { ...provider.env(), OIDC_CLIENT_SECRET: 'another' } });
  await refused(503, 'oidc_unavailable', newAccount(), server);
});

test('limit: 429 after fifty sign-ins of a network that failed at the provider; those that succeed do not count', async () => {
  const sendFrom = async (address: string, wrong: boolean) => {
    const visitor = browser();
    const response = await visitor.begin(api, newAccount());
    const headers = { ...fromPage, cookie: visitor.cookie, 'x-forwarded-for': address };
    const body = wrong ? { ...response, code: 'wrong' } : response;
    return api.call('POST', '/v1/auth/oidc/finish', { body, headers });
  };
  for (let n = 0; n < 50; n++) expectProblem(await sendFrom('192.0.2.9', true), 400, 'oidc_expired');
  const { headers } = expectProblem(
    await sendFrom('192.0.2.10', false).then(() => sendFrom('192.0.2.9', false)),
    429,
    'too_many_tries',
  );
  assert.ok(Number(headers.get('retry-after')) <= 86_400);
  for (let n = 0; n < 51; n++) expectStatus(await sendFrom('192.0.2.11', false), 200);
});
