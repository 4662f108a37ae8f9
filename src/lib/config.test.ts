import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { ConfigError, readConfig } from './config.ts';

const production = {
  NODE_ENV: 'production',
  SECRET_KEY: 'a-key-of-thirty-two-characters-or-more',
  PUBLIC_URL: 'https://events.example.org/',
  SMS_DRIVER: 'console',
};
const faults = (env: NodeJS.ProcessEnv): string => {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
};

test('config: every variable has a default outside production', () => {
  const config = readConfig({});
  assert.deepEqual(
    [
      config.port,
      config.host,
      config.demo,
      config.rateLimit,
      config.dailyQuotas,
      config.claimsEnabled,
      config.sms.driver,
      config.publicUrl,
    ],
    [3000, '127.0.0.1', true, 0, null, true, 'console', 'http://127.0.0.1:3000'],
  );
  assert.ok(Object.isFrozen(config));
});

test('config: production requires SECRET_KEY, PUBLIC_URL and SMS_DRIVER, disables the demo and enables limits', () => {
  for (const name of ['SECRET_KEY', 'PUBLIC_URL', 'SMS_DRIVER'])
    assert.match(faults({ NODE_ENV: 'production' }), new RegExp(name));
  const config = readConfig(production);
  assert.deepEqual(
    [config.demo, config.rateLimit, config.dailyQuotas, config.publicUrl],
    [false, 600, { events: 100, items: 2_000, follows: 500 }, 'https://events.example.org'],
  );
  assert.match(faults({ ...production, SECRET_KEY: 'short' }), /32 or more/);
});

test('config: NODE_ENV is development, test, production or not set; any other value is an error of one line', () => {
  for (const NODE_ENV of ['', 'development', 'test'])
    assert.equal(readConfig({ NODE_ENV }).production, false);
  assert.equal(readConfig(production).production, true);
  for (const NODE_ENV of ['Production', 'prod', 'staging', 'PRODUCTION']) {
    const expected = `NODE_ENV is "${NODE_ENV}"; it must be one of development, test, production.`;
    assert.equal(faults({ NODE_ENV, HOST: '0.0.0.0' }), expected);
  }
});

test('config: codes in responses and the demo are on if only this machine can connect, or with DEV_CODES=on', () => {
  const read = (env: NodeJS.ProcessEnv) => {
    const { devCodes, demo, demoAllowed } = readConfig(env);
    return { devCodes, demo, demoAllowed };
  };
  const yes = { devCodes: true, demo: true, demoAllowed: true };
  const no = { devCodes: false, demo: false, demoAllowed: false };
  const loopback: NodeJS.ProcessEnv[] = [
    {},
    { NODE_ENV: 'test' },
    { HOST: 'localhost' },
    { HOST: '127.0.0.53', TRUST_PROXY: 'off' },
    { HOST: '::1', PUBLIC_URL: 'http://[::1]:3000' },
    { PUBLIC_URL: 'http://localhost:8080/' },
  ];
  for (const env of loopback) assert.deepEqual(read(env), yes, JSON.stringify(env));
  const exposed: NodeJS.ProcessEnv[] = [
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '192.168.1.20' },
    { HOST: '127.example.org' },
    { HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:3000' },
    { TRUST_PROXY: 'loopback' },
    { PUBLIC_URL: 'https://events.example.org' },
    { PUBLIC_URL: 'https://127.0.0.1.example.org' },
    { PUBLIC_URL: 'https://localhost@events.example.org' },
  ];
  for (const env of exposed) {
    assert.deepEqual(read(env), no, JSON.stringify(env));
    assert.deepEqual(read({ ...env, DEV_CODES: 'on' }), yes, JSON.stringify(env));
  }
  assert.deepEqual(read({ DEV_CODES: 'off' }), { devCodes: false, demo: true, demoAllowed: true });
  assert.deepEqual(read(production), no);
  assert.equal(readConfig({ DATABASE_URL: 'postgres://db/potluck' }).demo, false);
});

test('config: DEMO=on is an error if other machines can connect, and in production; DEV_CODES=on in production', () => {
  for (const env of [
    { HOST: '0.0.0.0' },
    { TRUST_PROXY: 'loopback' },
    { PUBLIC_URL: 'https://example.org' },
  ]) {
    const [name = ''] = Object.keys(env);
    const text = faults({ ...env, DEMO: 'on' });
    assert.match(text, new RegExp(`^DEMO is on, .*\\b${name}\\b.* set DEV_CODES=on\\.$`));
    assert.equal(readConfig({ ...env, DEMO: 'on', DEV_CODES: 'on' }).demo, true);
  }
  assert.match(
    faults({ ...production, DEMO: 'on' }),
    /^DEMO is on, which is not allowed in production: [^\n]+$/,
  );
  const text = faults({ ...production, DEV_CODES: 'on' });
  assert.match(text, /^DEV_CODES is on, which is not allowed in production: [^\n]+$/);
});

test('config: DATABASE_REPLICA_URLS is a list of addresses, requires DATABASE_URL, and its error contains no secret', () => {
  const databaseUrl = 'postgres://db/potluck';
  const urls = ['postgres://me:secret@one:5433/potluck', 'postgres://me:secret@/potluck?host=/run/two'];
  const config = readConfig({ DATABASE_URL: databaseUrl, DATABASE_REPLICA_URLS: urls.join(' , ') });
  assert.deepEqual(config.databaseReplicaUrls, [urls[0], urls[1]?.replace('@/', '@localhost/')]);
  assert.deepEqual(readConfig({}).databaseReplicaUrls, []);
  assert.equal(
    faults({ DATABASE_REPLICA_URLS: urls[0] }),
    'DATABASE_URL is not set; DATABASE_REPLICA_URLS names its replicas.',
  );
  const text = faults({
    DATABASE_URL: databaseUrl,
    DATABASE_REPLICA_URLS: `${urls[0]},mysql://me:hidden@db/x`,
  });
  assert.match(
    text,
    /^Address 2 of DATABASE_REPLICA_URLS is not an address that starts with postgres:[^\n]+$/,
  );
  assert.ok(!text.includes('hidden'));
});

test('config: the error names each invalid variable on its own line, and contains no secret', () => {
  const env = {
    PORT: '70000',
    HOST: ' ',
    DEMO: 'yes',
    LOG_LEVEL: 'loud',
    RATE_LIMIT: '-1',
    MESSAGES_PER_MINUTE: 'many',
    TRUST_PROXY: 'everybody',
    CORS_ORIGINS: 'https://app.example.org, app.example.org',
  };
  const lines = faults({ ...env, DATABASE_URL: 'mysql://me:hidden@db/x' }).split('\n');
  assert.deepEqual(lines.map((line) => line.split(' ')[0]).sort(), [
    'CORS_ORIGINS',
    'DATABASE_URL',
    'DEMO',
    'LOG_LEVEL',
    'MESSAGES_PER_MINUTE',
    'PORT',
    'RATE_LIMIT',
    'TRUST_PROXY',
  ]);
  assert.ok(!lines.join('').includes('hidden'));
  assert.match(
    faults({ SMS_DRIVER: 'twilio' }),
    /TWILIO_ACCOUNT_SID[\s\S]*TWILIO_AUTH_TOKEN[\s\S]*TWILIO_FROM/,
  );
});

test('config: PUBLIC_URL follows from HOST and PORT; a HOST that is no part of a URL is an error', () => {
  for (const [HOST, publicUrl] of [
    ['0.0.0.0', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
    ['fe80::1%eth0', 'http://[fe80::1]:3000'],
  ] as const)
    assert.equal(readConfig({ HOST }).publicUrl, publicUrl);
  for (const HOST of ['a b', '1.2.3.4.5'])
    assert.equal(faults({ HOST }), `HOST is "${HOST}"; it must be an address or a name.`);
});

test('config: CORS_ORIGINS is *, off, or a list of serialized origins', () => {
  const read = (CORS_ORIGINS: string) => readConfig({ CORS_ORIGINS }).corsOrigins;
  assert.equal(readConfig({}).corsOrigins, '*');
  assert.deepEqual(read('off'), []);
  assert.deepEqual(read('https://a.example, http://localhost:5173'), [
    'https://a.example',
    'http://localhost:5173',
  ]);
  for (const wrong of ['https://a.example/', 'a.example', 'https://A.example', 'https://a.example,', 'null'])
    assert.match(faults({ CORS_ORIGINS: wrong }), /^CORS_ORIGINS has /, wrong);
});

test('config: S3_BUCKET selects a bucket for images, with both keys or none', () => {
  assert.equal(readConfig({}).s3, undefined);
  assert.deepEqual(readConfig({ S3_BUCKET: 'pictures' }).s3, {
    bucket: 'pictures',
    region: 'us-east-1',
    endpoint: undefined,
    keys: undefined,
  });
  const keys = { S3_ACCESS_KEY_ID: 'AKIDEXAMPLE', S3_SECRET_ACCESS_KEY: 'hidden-key' };
  const env = { S3_BUCKET: 'pictures', S3_REGION: 'eu-north-1', S3_ENDPOINT: 'http://127.0.0.1:9000/' };
  assert.deepEqual(readConfig({ ...env, ...keys }).s3, {
    bucket: 'pictures',
    region: 'eu-north-1',
    endpoint: 'http://127.0.0.1:9000',
    keys: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'hidden-key' },
  });
  assert.match(faults({ ...env, S3_ACCESS_KEY_ID: 'AKIDEXAMPLE' }), /go together/);
  assert.match(faults({ ...env, S3_ENDPOINT: 'ftp://x' }), /^S3_ENDPOINT /);
  assert.match(faults(keys), /^S3_BUCKET is not set/);
});

test('config: MAP_TILES is the path of a file, or an https address without a password', () => {
  const read = (MAP_TILES: string) => readConfig({ MAP_TILES }).mapTiles;
  assert.equal(read(' '), undefined);
  assert.deepEqual(read('/srv/town.pmtiles'), { file: '/srv/town.pmtiles' });
  assert.deepEqual(read('maps/town.pmtiles'), { file: path.resolve('maps/town.pmtiles') });
  assert.deepEqual(read('https://maps.example.org/a b.pmtiles?v=2'), {
    url: 'https://maps.example.org/a%20b.pmtiles?v=2',
  });
  for (const wrong of [
    'http://maps.example.org/town.pmtiles',
    'https://me:hidden@maps.example.org/t',
    'file:///srv/t',
  ])
    assert.match(faults({ MAP_TILES: wrong }), /^MAP_TILES must be [^\n]+$/, wrong);
  assert.ok(!faults({ MAP_TILES: 'https://me:hidden@maps.example.org/t' }).includes('hidden'));
});

test('config: .env.example documents exactly the variables that the code reads', async () => {
  const root = path.join(import.meta.dirname, '..', '..');
  const source = await readFile(path.join(root, 'src', 'lib', 'config.ts'), 'utf8');
  const example = await readFile(path.join(root, '.env.example'), 'utf8');
  const read = new Set(
    [...source.matchAll(/(?:\(|env\.)'?([A-Z][A-Z0-9_]{3,})'?[,)\s]/g)].map(([, name]) => name),
  );
  const named = new Set([...example.matchAll(/^#([A-Z0-9_]+)=/gm)].map(([, name]) => name));
  assert.deepEqual([...named].sort(), [...read].sort());
});
