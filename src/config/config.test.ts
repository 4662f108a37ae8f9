import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { configFaults } from '../../test/support/config-faults.ts';
import { readConfig } from './config.ts';

const root = path.join(import.meta.dirname, '..', '..');
const production = {
  NODE_ENV: 'production',
  SECRET_KEY: 'a-key-of-thirty-two-characters-or-more',
  PUBLIC_URL: 'https://events.example.org/',
  SMS_DRIVER: 'console',
};
const faults = (env: NodeJS.ProcessEnv): string => configFaults(env).join('\n');

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
  const { SMS_DRIVER: _, ...withoutSms } = production;
  const mail = { MAIL_URL: 'smtp://mail.example.org', MAIL_FROM: 'events@example.org' };
  assert.match(faults({ ...withoutSms, ...mail, SIGN_IN: 'phone,email' }), /^SMS_DRIVER is not set/);
  assert.deepEqual(readConfig({ ...withoutSms, ...mail, SIGN_IN: 'email' }).sms, { driver: 'console' });
  const config = readConfig(production);
  assert.deepEqual(
    [config.demo, config.rateLimit, config.dailyQuotas, config.publicUrl],
    [false, 600, { events: 100, items: 2_000, follows: 500, messages: 2_000 }, 'https://events.example.org'],
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
    DEFAULT_COUNTRY: 'Sweden',
    RATE_LIMIT: '-1',
    MESSAGES_PER_MINUTE: 'many',
    TRUST_PROXY: 'everybody',
    CORS_ORIGINS: 'https://app.example.org, app.example.org',
  };
  const lines = faults({ ...env, DATABASE_URL: 'mysql://me:hidden@db/x' }).split('\n');
  assert.deepEqual(lines.map((line) => line.split(' ')[0]).sort(), [
    'CORS_ORIGINS',
    'DATABASE_URL',
    'DEFAULT_COUNTRY',
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

test('config: one line that names the variable and the reason for each wrong value', () => {
  const database = 'postgres://me:hidden@db/x';
  const twilio = {
    SMS_DRIVER: 'twilio',
    TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
    TWILIO_AUTH_TOKEN: 'hidden',
    TWILIO_FROM: '+12025550102',
  };
  const cases: [NodeJS.ProcessEnv, RegExp][] = [
    [{ TRUST_PROXY: '0.0.0.0/0' }, /^TRUST_PROXY has "0\.0\.0\.0\/0", which is every address/],
    [{ TRUST_PROXY: '10.0.0.0/8, ::/0' }, /^TRUST_PROXY has "::\/0", which is every address/],
    [{ TRUST_PROXY: '10.0.0.0/00' }, /^TRUST_PROXY has "10\.0\.0\.0\/00", which is every address/],
    [{ TRUST_PROXY: '10.0.0.0/33' }, /^TRUST_PROXY has "10\.0\.0\.0\/33"; it must be/],
    [{ TRUST_PROXY: ',' }, /^TRUST_PROXY has ""; it must be/],
    [{ PUBLIC_URL: 'https://events.test/app' }, /^PUBLIC_URL must have .* only, .*: .* not below a path/],
    [{ PUBLIC_URL: 'https://events.test?a=1' }, /^PUBLIC_URL must have /],
    [{ PUBLIC_URL: 'https://events.test/#a' }, /^PUBLIC_URL must have /],
    [{ PUBLIC_URL: 'https://me:hidden@events.test' }, /^PUBLIC_URL must have /],
    [{ PUBLIC_URL: 'https://localhost@events.test' }, /^PUBLIC_URL must have /],
    [{ PUBLIC_URL: 'https://a.test,https://b.test' }, /^PUBLIC_URL must have /],
    [{ PUBLIC_URL: 'events.test' }, /^PUBLIC_URL is not an address that starts with/],
    [
      { DATABASE_URL: `${database}?sslmode=verify_full` },
      /^DATABASE_URL has sslmode=verify_full; it must be one of/,
    ],
    [
      { DATABASE_URL: database, DATABASE_REPLICA_URLS: `${database}?sslmode=on` },
      /^DATABASE_REPLICA_URLS has sslmode=on; it must be one of/,
    ],
    [
      { DATABASE_URL: 'postgres://me:hidden@db:99999/x' },
      /^DATABASE_URL is not .*, with a port of at most 65535;/,
    ],
    [{ S3_BUCKET: 's3://images' }, /^S3_BUCKET is "s3:\/\/images"; it must be the name of a bucket/],
    [{ S3_BUCKET: 'a b' }, /^S3_BUCKET is "a b"; it must be the name of a bucket/],
    [{ S3_BUCKET: 'images', S3_REGION: 'EU North' }, /^S3_REGION is "EU North"; it must be the code/],
    [{ S3_REGION: 'eu-north-1' }, /^S3_BUCKET is not set; the other S3 variables need it/],
    [{ S3_BUCKET: 'images', S3_ENDPOINT: 'https://me:hidden@s3.test' }, /^S3_ENDPOINT must have no user/],
    [
      { S3_BUCKET: 'images', S3_ENDPOINT: 'https://s3.test/?a=hidden' },
      /^S3_ENDPOINT must have no user, no query/,
    ],
    [{ ...twilio, TWILIO_ACCOUNT_SID: 'AC1' }, /^TWILIO_ACCOUNT_SID is not an account SID; /],
    [{ ...twilio, TWILIO_FROM: '12025550102' }, /^TWILIO_FROM is "12025550102"; it must be a number such as/],
    [{ ...twilio, TWILIO_FROM: 'Potluck Events' }, /^TWILIO_FROM is "Potluck Events"; .* at most 11 letters/],
    [{ ...twilio, TWILIO_FROM: 'MG12345678901' }, /^TWILIO_FROM is "MG12345678901"; /],
    [{ ...twilio, TWILIO_FROM: 'a@b.test' }, /^TWILIO_FROM is "a@b\.test"; /],
    [{ PORT: '3e3' }, /^PORT is "3e3"; it must be a whole number from 0 to 65535/],
    [{ HOST: 'http://localhost' }, /^HOST is "http:\/\/localhost"; it must be an address or a name/],
    [{ LOG_LEVEL: 'WARN' }, /^LOG_LEVEL is "WARN"; it must be one of/],
    [{ MESSAGE_RETENTION_DAYS: '0' }, /^MESSAGE_RETENTION_DAYS is "0"; it must be a whole number/],
  ];
  for (const [env, expected] of cases) {
    const text = faults(env);
    assert.match(text, expected, JSON.stringify(env));
    assert.equal(text.split('\n').length, 1, text);
    assert.ok(!text.includes('hidden'), text);
  }
  for (const TWILIO_FROM of ['+12025550102', '24365', `MG${'0'.repeat(32)}`, 'Potluck', 'Our town 2'])
    assert.equal(faults({ ...twilio, TWILIO_FROM }), '', TWILIO_FROM);
  assert.equal(readConfig({ PUBLIC_URL: 'https://EVENTS.test:443/' }).publicUrl, 'https://events.test');
  assert.deepEqual(readConfig({ TRUST_PROXY: '10.0.0.0/8, fe80::/10' }).trustProxy, [
    '10.0.0.0/8',
    'fe80::/10',
  ]);
});

test('config: a warning for a name that resembles a variable; none for the variables of other programs', () => {
  for (const [name, known] of [
    ['RATELIMIT', 'RATE_LIMIT'],
    ['rate_limit', 'RATE_LIMIT'],
    ['POTLUCK_RATE_LIMIT', 'RATE_LIMIT'],
    ['PUBLIC_ULR', 'PUBLIC_URL'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['SECRETKEY', 'SECRET_KEY'],
  ] as const) {
    const expected = [`${name} is not a variable of Potluck and has no effect; is ${known} meant?`];
    assert.deepEqual(readConfig({ [name]: 'x' }).warnings, expected, name);
  }
  const others =
    'HOSTNAME HOSTTYPE HOSTS PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGDATA PGSSLMODE PORTS SUPPORT SPORT DEMOS ' +
    'PATH HOME USER SHELL LANG LC_ALL TZ TERM PWD OLDPWD SHLVL LOGNAME MAIL DISPLAY EDITOR VISUAL PAGER TMPDIR ' +
    'NODE_OPTIONS NODE_PATH NODE_VERSION NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE NODE_TLS_REJECT_UNAUTHORIZED YARN_VERSION ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy npm_config_loglevel npm_config_cache npm_package_name ' +
    'MALLOC_ARENA_MAX UV_THREADPOOL_SIZE DEBUG FORCE_COLOR NO_COLOR CI INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET ' +
    'SYSTEMD_EXEC_PID KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT POTLUCK_SERVICE_HOST POTLUCK_SERVICE_PORT ' +
    'AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_DEFAULT_REGION AWS_ENDPOINT_URL_S3 ' +
    'REDIS_URL MONGO_URL MYSQL_URL SENTRY_DSN DYNO RENDER FLY_REGION FLY_APP_NAME XDG_DATA_DIRS XDG_CONFIG_DIRS ' +
    'XDG_RUNTIME_DIR SSH_CLIENT SSH_CONNECTION SSH_TTY SUDO_USER TEST_DATABASE_URL TEST_DATABASE_REPLICA_URLS';
  const env = Object.fromEntries(others.split(' ').map((name) => [name, 'x']));
  assert.deepEqual(readConfig(env).warnings, []);
  assert.deepEqual(readConfig({ ...production, TWILIO_FROM: 'x', S3_BUCKET: 'images' }).warnings, []);
});

test('config: MAP_TILES is the path of a file, or an https address without a password', () => {
  const read = (MAP_TILES: string) => readConfig({ MAP_TILES, DATA_DIR: '/nowhere' }).mapTiles;
  assert.deepEqual(read(' '), { file: '/nowhere/streets.pmtiles', isDownloaded: true });
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

test('config: CONTACT is an e-mail address, or the address of a page', () => {
  const read = (CONTACT: string) => readConfig({ CONTACT }).contact;
  assert.equal(read(''), undefined);
  assert.equal(read('hello@example.org'), 'mailto:hello@example.org');
  assert.equal(read('https://example.org/help'), 'https://example.org/help');
  for (const wrong of ['hello', 'javascript:alert(1)', 'a@example.org?bcc=b@example.org', '"x"@example.org'])
    assert.match(faults({ CONTACT: wrong }), /^CONTACT must be [^\n]+$/, wrong);
});

test('config: MAIL_URL sends mails, and needs MAIL_FROM; without it, mails are shown where codes are', () => {
  assert.equal(readConfig({}).mail.driver, 'console');
  assert.equal(readConfig({ HOST: '0.0.0.0' }).mail.driver, 'off');
  assert.equal(readConfig(production).mail.driver, 'off');
  const from = { MAIL_FROM: 'Village <events@example.org>' };
  const read = (MAIL_URL: string) => {
    const { mail } = readConfig({ MAIL_URL, ...from });
    return (
      mail.driver === 'smtp' && [mail.server.host, mail.server.port, mail.server.tls, mail.server.user?.name]
    );
  };
  assert.deepEqual(read('smtp://me%40b:p%2Fw@mail.example.org'), [
    'mail.example.org',
    587,
    'required',
    'me@b',
  ]);
  assert.deepEqual(read('smtps://mail.example.org'), ['mail.example.org', 465, 'implicit', undefined]);
  assert.deepEqual(read('smtp://[::1]:25'), ['::1', 25, 'off', undefined]);
  assert.deepEqual(read('smtp://localhost:25?tls=on'), ['localhost', 25, 'required', undefined]);
  assert.deepEqual(read('smtp://mail.example.org?tls=off'), ['mail.example.org', 587, 'off', undefined]);
  const smtp = readConfig({ MAIL_URL: 'smtp://mail.example.org', ...from }).mail;
  assert.deepEqual(smtp.driver === 'smtp' && smtp.from, { name: 'Village', address: 'events@example.org' });
});

test('config: the error of a variable of mails is one line that names it, without a password', async () => {
  const good = { MAIL_URL: 'smtp://me:hidden@mail.example.org', MAIL_FROM: 'events@example.org' };
  for (const [name, value] of [
    ['MAIL_URL', 'http://me:hidden@mail.example.org'],
    ['MAIL_URL', 'smtp://me:hidden@mail.example.org/path'],
    ['MAIL_URL', 'smtp://me:hidden@mail.example.org?ssl=on'],
    ['MAIL_URL', 'smtp://me:hidden@mail.example.org?tls=maybe'],
    ['MAIL_URL', 'smtps://me:hidden@mail.example.org?tls=off'],
    ['MAIL_FROM', ''],
    ['MAIL_FROM', 'events'],
    ['MAIL_FROM', 'A <a@example.org>, B <b@example.org>'],
    ['MAIL_FROM', 'a..b@example.org'],
    ['MAIL_CA', '/nonexistent/ca.pem'],
    ['MAIL_CA', path.join(root, 'README.md')],
    ['MAIL_DKIM_KEY', '/nonexistent/dkim.pem'],
    ['MAIL_DKIM_KEY', path.join(root, 'README.md')],
    ['MAIL_DKIM_SELECTOR', 'a b'],
    ['MAIL_DRIVER', 'sendmail'],
    ['MAIL_PER_HOUR', '0'],
  ] as const) {
    const text = faults({ ...good, [name]: value });
    assert.match(text, new RegExp(`^${name} [^\n]+$`), `${name}=${value}: ${text}`);
    assert.ok(!text.includes('hidden'));
  }
  assert.match(faults({ MAIL_DRIVER: 'smtp' }), /^MAIL_URL is not set; .*\nMAIL_FROM is not set; /);
});

test('config: .env.example documents exactly the variables that the code reads', async () => {
  const example = await readFile(path.join(root, '.env.example'), 'utf8');
  const read = new Set<string>();
  const get = (env: NodeJS.ProcessEnv, name: string) => {
    read.add(name);
    return env[name];
  };
  // With a value for each variable that decides whether others are read.
  for (const SMS_DRIVER of ['twilio', 'http'])
    faults(
      new Proxy({ SMS_DRIVER, S3_BUCKET: 'images', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a.test' }, { get }),
    );
  const named = new Set([...example.matchAll(/^#([A-Z0-9_]+)=/gm)].map(([, name]) => name));
  assert.deepEqual([...named].sort(), [...read].sort());
});

test('config: .env.example shows the default of each number and each choice', async () => {
  const example = await readFile(path.join(root, '.env.example'), 'utf8');
  // The default of CACHE_MB depends on the machine.
  const settings = [...example.matchAll(/^#([A-Z0-9_]+)=([a-z]+|\d+)$/gm)].filter(
    ([, name]) => name !== 'CACHE_MB',
  );
  assert.ok(settings.length > 10);
  for (const [, name = '', value = ''] of settings)
    assert.deepEqual(readConfig({ [name]: value }), readConfig({}), name);
});
