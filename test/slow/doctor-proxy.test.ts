/** The command `doctor`, in front of servers behind nginx that is set up rightly, and wrongly in many ways. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { eventBody } from '../support/factories.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { cleanUpAfterTests, createTempDir, sendRequest, serve, signIn } from '../support/processes.ts';
import { cloneDatabase } from '../support/test-database.ts';
import { doctor, secrets } from './doctor-runs.ts';
import { makeCertificate, missingTools, runNginx } from './nginx.ts';

cleanUpAfterTests();

const isMissing = missingTools.length > 0;
if (isMissing && process.env.CI) throw new Error(`${missingTools.join(' and ')} must be installed`);
const skip = isMissing && `needs ${missingTools.join(' and ')}`;

const directory = await createTempDir();
const fileOf = (name: string) => path.join(directory, name);

/** Servers of nginx: the certificate of each, and its settings. `SERVER` stands for Potluck. */
const sites = {
  right: [
    'right',
    'client_max_body_size 11m; location / { proxy_pass SERVER; proxy_set_header X-Forwarded-For $remote_addr; }',
  ],
  closing: ['closing', 'client_max_body_size 11m; location / { proxy_pass SERVER; }'],
  expired: ['expired', 'client_max_body_size 11m; location / { proxy_pass SERVER; }'],
  foreign: ['foreign', 'client_max_body_size 11m; location / { proxy_pass SERVER; }'],
  small: ['right', 'location / { proxy_pass SERVER; }'],
  buffering: ['right', 'location / { proxy_pass SERVER; proxy_ignore_headers X-Accel-Buffering; }'],
  empty: ['right', `default_type text/html; location / { return 200 '<title>Welcome to nginx!</title>'; }`],
  away: ['right', 'location / { proxy_pass http://127.0.0.1:9; }'],
  moved: ['right', 'location / { return 301 https://new.example.org$request_uri; }'],
} as const;
type Site = keyof typeof sites;
const names = Object.keys(sites) as Site[];

const opened = skip ? null : await open();

async function open() {
  const [own = 0, ...ports] = await findFreePorts(names.length + 1);
  const portOf = (name: Site) => ports[names.indexOf(name)] ?? 0;
  for (const [name, host, days] of [
    ['right', 'localhost', 90],
    ['closing', 'localhost', 5],
    ['expired', 'localhost', -1],
    ['foreign', 'other.example.org', 90],
  ] as const)
    await makeCertificate(directory, { name, host, days });
  const blocks = names.map((name) => {
    const [certificate, settings] = sites[name];
    return `server { listen 127.0.0.1:${portOf(name)} ssl; ssl_certificate ${fileOf(`${certificate}.pem`)};
      ssl_certificate_key ${fileOf(`${certificate}.key`)}; proxy_http_version 1.1; proxy_set_header Host $host;
      ${settings.replace('SERVER', `http://127.0.0.1:${own}`)} }`;
  });
  after(await runNginx(directory, `access_log off; ${blocks.join('\n')}`, portOf('right')));
  const env = {
    DATABASE_URL: await cloneDatabase(),
    DATA_DIR: await createTempDir(),
    PORT: `${own}`,
    DEMO: 'off',
    TRUST_PROXY: 'loopback',
    DEV_CODES: 'on',
  };
  const server = await serve({ env: { ...env, PUBLIC_URL: `https://localhost:${portOf('right')}` } });
  const token = await signIn(server);
  assert.equal((await sendRequest(server, 'POST', '/v1/events', token, eventBody())).status, 201);
  /** Examines PUBLIC_URL at the site. */
  const at = (site: Site, more: Record<string, string> = {}) => {
    const authority = fileOf(`${sites[site][0]}.pem`);
    const PUBLIC_URL = `https://localhost:${portOf(site)}`;
    return doctor({ ...env, PUBLIC_URL, NODE_EXTRA_CA_CERTS: authority, ...more });
  };
  return { at, portOf };
}

const found = () => {
  assert.ok(opened);
  return opened;
};

test('proxy: nothing is broken behind nginx as the documents configure it', { skip }, async () => {
  const { broken, of } = await found().at('right');
  assert.deepEqual(broken, []);
  for (const check of [
    'DNS',
    'certificate',
    'server',
    'PUBLIC_URL',
    'origin',
    'upload',
    'live streams',
    'metrics',
    'web push',
  ])
    for (const text of of(check)) assert.match(text, /^good /, text);
  assert.match(of('certificate')[0] ?? '', /for (89|90) days/);
  assert.match(of('TRUST_PROXY')[0] ?? '', /^skipped .* \| Set LOG_REQUESTS=on/);
});

test('metrics: a warning where the proxy lets requests for them through', { skip }, async () => {
  const { broken, of } = await found().at('small');
  assert.ok(!broken.includes('metrics'));
  assert.match(
    of('metrics')[0] ?? '',
    /^warning Everyone can read .*\/metrics\. \| Respond to \/metrics with 404/,
  );
});

test('proxy: a warning if the server trusts no proxy', { skip }, async () => {
  const { of } = await found().at('right', { TRUST_PROXY: 'off' });
  assert.match(of('TRUST_PROXY')[0] ?? '', /^warning The server trusts no proxy, .* \| Set TRUST_PROXY/);
});

test('certificate: a warning 5 days before its end; broken when expired, of another name, of an unknown authority', {
  skip,
}, async () => {
  const { at } = found();
  assert.match((await at('closing')).of('certificate')[0] ?? '', /^warning .* for [45] days\. \| Renew it/);
  for (const [site, more, expected] of [
    ['expired', {}, /^broken .* has expired \(CERT_HAS_EXPIRED\); it is valid until [\d-]+\. \| Renew it/],
    ['foreign', {}, /^broken .* is for another name .* \| Get a certificate for the host/],
    ['right', { NODE_EXTRA_CA_CERTS: '' }, /^broken .* is not signed by a known authority .*fullchain\.pem/],
  ] as const) {
    const { broken, of } = await at(site, more);
    assert.ok(broken.includes('certificate'), site);
    assert.match(of('certificate')[0] ?? '', expected);
    assert.match(of('PUBLIC_URL')[0] ?? '', /^good /, 'the other checks go on');
  }
});

test('origin: broken with another PUBLIC_URL than the server has; names both', { skip }, async () => {
  const { at, portOf } = found();
  const { broken, of } = await at('closing');
  assert.deepEqual(broken, ['origin']);
  const [text = ''] = of('origin');
  assert.ok(text.includes(`No page of https://localhost:${portOf('right')} sent this request`), text);
  assert.ok(text.includes(`its Origin is https://localhost:${portOf('closing')}`), text);
});

test('web push: broken with another SECRET_KEY than the server has', { skip }, async () => {
  const { broken, of } = await found().at('right', { SECRET_KEY: secrets.key });
  assert.deepEqual(broken, ['web push']);
  assert.match(of('web push')[0] ?? '', /another SECRET_KEY\. \| Give all servers/);
});

test('upload: broken where the proxy refuses 10 MiB; live streams: broken where it buffers', {
  skip,
}, async () => {
  const { at } = found();
  const small = await at('small');
  assert.match(
    small.of('upload')[0] ?? '',
    /^broken An image of 10 MiB does not reach the server: status 413, the page "413 [^"]+", the header "Server: nginx.* \| .*client_max_body_size 11m;/,
  );
  assert.match(small.of('live streams')[0] ?? '', /^good /);
  const buffering = await at('buffering');
  assert.match(buffering.of('live streams')[0] ?? '', /^broken .* \| Turn the buffering of responses off/);
});

test('PUBLIC_URL: broken where another server responds, the proxy reaches none, or the address is another', {
  skip,
}, async () => {
  const { at } = found();
  for (const [site, expected] of [
    [
      'empty',
      /^broken At \S+ another server responds: status 200, the page "Welcome to nginx!".* \| Let the proxy/,
    ],
    ['away', /^broken At \S+ a proxy does not reach the server: status 502.* \| Start the server/],
    ['moved', /^broken \S+ leads to https:\/\/new\.example\.org\/healthz\. \| Set PUBLIC_URL/],
  ] as const) {
    const { broken, of } = await at(site);
    assert.deepEqual(broken, ['PUBLIC_URL']);
    assert.match(of('PUBLIC_URL')[0] ?? '', expected);
    assert.match(of('upload')[0] ?? '', /^skipped /);
  }
});

test('PUBLIC_URL: broken if a server runs and nothing listens there; DNS: broken for a name without address', {
  skip,
}, async () => {
  const { at } = found();
  const closed = await at('right', { PUBLIC_URL: 'https://localhost:9' });
  assert.deepEqual(closed.broken, ['certificate', 'PUBLIC_URL']);
  assert.match(closed.of('PUBLIC_URL')[0] ?? '', /does not respond \(ECONNREFUSED\)\. \| Start the proxy/);
  const nameless = await at('right', { PUBLIC_URL: 'https://none.invalid', DEMO: 'off' });
  assert.ok(nameless.broken.includes('DNS'));
  assert.match(nameless.of('DNS')[0] ?? '', /none\.invalid of PUBLIC_URL has no address/);
});
