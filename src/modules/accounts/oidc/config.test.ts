import assert from 'node:assert/strict';
import test from 'node:test';
import { configFaults } from '../../../../test/support/config-faults.ts';
import { readConfig } from '../../../config/config.ts';

const secret = 'hunter2-hunter2';
const oidc = {
  OIDC_ISSUER: 'https://id.example.org',
  OIDC_CLIENT_ID: 'potluck',
  OIDC_CLIENT_SECRET: secret,
};

test('config: OIDC_* read the provider, which is then a way to sign in; the host is its name', () => {
  const config = readConfig(oidc);
  assert.deepEqual(config.oidc, {
    issuer: 'https://id.example.org/',
    clientId: 'potluck',
    clientSecret: secret,
    name: 'id.example.org',
    clientAuth: undefined,
  });
  assert.deepEqual(config.signIn, ['phone', 'email', 'oidc']);
  assert.deepEqual([readConfig({}).oidc, readConfig({}).signIn], [undefined, ['phone', 'email']]);
  assert.deepEqual(readConfig({ ...oidc, SIGN_IN: 'oidc' }).signIn, ['oidc']);
  assert.deepEqual(readConfig({ ...oidc, SIGN_IN: 'phone' }).signIn, ['phone']);
});

test('config: the issuer keeps its path and the slash at its end; http only for a loopback address', () => {
  for (const issuer of [
    'https://a.test/application/o/potluck/',
    'https://a.test/realms/x',
    'http://127.0.0.1:8080/',
  ])
    assert.equal(readConfig({ ...oidc, OIDC_ISSUER: issuer }).oidc?.issuer, issuer);
});

test('config: each fault of OIDC_* is one sentence, which does not contain the secret', () => {
  const cases: [NodeJS.ProcessEnv, RegExp][] = [
    [{ OIDC_ISSUER: '' }, /^OIDC_ISSUER is not set; signing in with OpenID Connect needs it\.$/],
    [{ OIDC_CLIENT_ID: '' }, /^OIDC_CLIENT_ID is not set/],
    [{ OIDC_CLIENT_SECRET: '' }, /^OIDC_CLIENT_SECRET is not set/],
    [{ OIDC_ISSUER: 'id.example.org' }, /^OIDC_ISSUER must be an address that starts with https:\/\//],
    [{ OIDC_ISSUER: `https://me:${secret}@a.test` }, /^OIDC_ISSUER must be an address/],
    [{ OIDC_ISSUER: 'https://a.test?x=1' }, /^OIDC_ISSUER must be an address/],
    [{ OIDC_ISSUER: 'http://a.test' }, /^OIDC_ISSUER starts with http:\/\/, which is only allowed for/],
    [
      { OIDC_ISSUER: 'https://a.test/.well-known/openid-configuration' },
      /^OIDC_ISSUER must be the address before \/\.well-known/,
    ],
    [{ OIDC_NAME: 'x'.repeat(41) }, /^OIDC_NAME must have at most 40 characters on one line\.$/],
    [{ OIDC_NAME: 'a\nb' }, /^OIDC_NAME must have/],
    [{ OIDC_CLIENT_AUTH: 'none' }, /^OIDC_CLIENT_AUTH is "none"; it must be one of client_secret_basic, /],
    [{ SIGN_IN: 'phone,github' }, /^SIGN_IN has "github"; it must be a list of phone, email, oidc\.$/],
  ];
  for (const [env, expected] of cases) {
    const lines = configFaults({ ...oidc, ...env });
    assert.equal(lines.length, 1, `${JSON.stringify(env)}: ${lines.join('\n')}`);
    const [line = ''] = lines;
    assert.match(line, expected);
    assert.ok(!line.includes(secret), line);
  }
  assert.deepEqual(configFaults({ SIGN_IN: 'oidc' }), [
    'SIGN_IN has oidc, but no provider is configured: set OIDC_ISSUER.',
  ]);
});
