/**
 * Reads the environment variables, once at the start, into a frozen object. `.env.example` documents every
 * variable.
 */
import { isIP } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { isUrl, isWhole, type Reader, readerOf } from './config-reader.ts';
import { readParameter, sessionAttributes, sslModes } from './database-url.ts';
import { isLoopbackHost, isLoopbackUrl } from './loopback.ts';
import { findMistyped } from './similar-names.ts';

export type SmsConfig =
  | { driver: 'console' }
  | { driver: 'twilio'; accountSid: string; authToken: string; from: string; baseUrl: string | undefined };

/**
 * An S3 bucket. Default endpoint: Amazon's. Default keys: those of the machine, as the AWS SDK finds them.
 */
export type S3Config = {
  bucket: string;
  region: string;
  endpoint: string | undefined;
  keys: { accessKeyId: string; secretAccessKey: string } | undefined;
};

/** The streets of the map: a PMTiles file on this machine (an absolute path), or one at an https address. */
export type MapTiles = { file: string } | { url: string };

/** What the daily quotas count. */
export type QuotaKind = 'events' | 'items' | 'follows';

export type Config = Readonly<{
  production: boolean;
  port: number;
  host: string;
  /** Undefined for the embedded database in `dataDir`. */
  databaseUrl: string | undefined;
  /** Streaming replicas of that database, to read from. */
  databaseReplicaUrls: string[];
  /** An absolute path. */
  dataDir: string;
  /**
   * True if only this machine can reach the server: HOST and PUBLIC_URL are loopback addresses, TRUST_PROXY
   * is off.
   */
  isLocal: boolean;
  demo: boolean;
  /** Whether demo accounts, whose phone numbers are known, may exist. */
  demoAllowed: boolean;
  /** Whether a response may contain the code that it sends (`devCode`), if the SMS driver is `console`. */
  devCodes: boolean;
  /** Undefined until the command has read or created the key file in `dataDir`. */
  secretKey: string | undefined;
  /** The URL at which clients reach this server, without a trailing slash. */
  publicUrl: string;
  sms: SmsConfig;
  /** The maximum number of text messages that the server sends per day. */
  smsPerDay: number;
  /** The maximum number of requests per minute for each client network; 0 for no limit. */
  rateLimit: number;
  /** The maximum number of messages per minute for each sender; 0 for no limit. */
  messagesPerMinute: number;
  /** The maximum numbers that a person may create per day; null for no limit. */
  dailyQuotas: Readonly<Record<QuotaKind, number>> | null;
  /** For how many days the server keeps what only grows; null: for ever. */
  retention: Readonly<{ auditDays: number; notificationDays: number; messageDays: number | null }>;
  /** The origins whose pages may read responses; `*` for all origins. */
  corsOrigins: '*' | string[];
  /** Reverse proxies whose `X-Forwarded-For` is trusted: addresses, networks, or names such as `loopback`. */
  trustProxy: string[] | false;
  /** The default value of the flag `claims`. */
  claimsEnabled: boolean;
  /** Where lists are computed: in memory, or by statements on the database. */
  discovery: 'memory' | 'sql';
  /** The memory for all caches and the discovery index together, in bytes. */
  cacheBytes: number;
  logLevel: string;
  /** Whether each request is logged. */
  logRequests: boolean;
  /** Where images are stored; undefined for a directory in `dataDir`. */
  s3: S3Config | undefined;
  /** Undefined for a map without streets. */
  mapTiles: MapTiles | undefined;
  /** One line for each variable that no program reads, but whose name resembles one of Potluck. */
  warnings: string[];
}>;

/** Invalid variables. The message has one line for each, and contains no secrets. */
export class ConfigError extends Error {}

const MiB = 1024 ** 2;

/** A quarter of the memory of the machine, at least 256 MB and at most 2 GiB. */
const defaultCacheMb = (): number => Math.round(Math.min(Math.max(os.totalmem() / 4 / MiB, 256), 2_048));

const environments = ['development', 'test', 'production'] as const;
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/**
 * Reads the configuration from environment variables.
 * @throws ConfigError with one line for each invalid variable
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const read = readerOf(env);
  const production = read.oneOf('NODE_ENV', environments, 'development') === 'production';
  const host = read.text('HOST') ?? '127.0.0.1';
  const port = read.whole('PORT', 3000, 0, 65_535);
  const databaseUrl = readDatabaseUrl(read);
  const publicUrl = readPublicUrl(read, production);
  const trustProxy = readProxies(read);
  const exposedBy = exposingVariables({ host, publicUrl, trustProxy });
  const isLocal = exposedBy.length === 0;
  const devCodes = readDevCodes(read, production, isLocal);
  const demoAllowed = !production && (isLocal || devCodes);
  const config: Config = {
    production,
    port,
    host,
    databaseUrl,
    databaseReplicaUrls: readReplicas(read),
    dataDir: path.resolve(read.text('DATA_DIR') ?? 'data'),
    demo: readDemo(read, production, exposedBy, { demoAllowed, fallback: !databaseUrl && demoAllowed }),
    isLocal,
    demoAllowed,
    devCodes,
    secretKey: readSecretKey(read, production),
    publicUrl: publicUrl ?? localUrl(host, port),
    sms: readSms(read, production),
    smsPerDay: read.whole('SMS_PER_DAY', 2_000, 1, 10_000_000),
    rateLimit: read.whole('RATE_LIMIT', production ? 600 : 0, 0, 1_000_000),
    messagesPerMinute: read.whole('MESSAGES_PER_MINUTE', 60, 0, 1_000_000),
    dailyQuotas: readQuotas(read, production),
    retention: readRetention(read),
    corsOrigins: readOrigins(read),
    trustProxy,
    claimsEnabled: read.onOff('FEATURE_CLAIMS', true),
    discovery: read.oneOf('DISCOVERY', ['memory', 'sql'], 'memory'),
    cacheBytes: read.whole('CACHE_MB', defaultCacheMb(), 16, 1_048_576) * MiB,
    logLevel: read.oneOf('LOG_LEVEL', logLevels, 'info'),
    logRequests: read.onOff('LOG_REQUESTS', false),
    s3: readS3(read),
    mapTiles: readMapTiles(read),
    warnings: [],
  };
  if (!URL.canParse(config.publicUrl))
    read.faults.push(`HOST is "${host}"; it must be an address or a name.`);
  if (read.faults.length > 0) throw new ConfigError([...new Set(read.faults)].join('\n'));
  const warnings = findMistyped(Object.keys(env), read.names).map(
    ({ name, known }) => `${name} is not a variable of Potluck and has no effect; is ${known} meant?`,
  );
  return Object.freeze({ ...config, warnings });
}

const postgres = ['postgres:', 'postgresql:'];

function readDatabaseUrl(read: Reader): string | undefined {
  const url = read.url('DATABASE_URL', postgres);
  if (url !== undefined) checkParameters(read, 'DATABASE_URL', url);
  return url;
}

function readReplicas(read: Reader): string[] {
  if (read.text('DATABASE_REPLICA_URLS') === undefined) return [];
  // The embedded database has no replicas.
  read.needed('DATABASE_URL', 'DATABASE_REPLICA_URLS names its replicas');
  const urls = read.urls('DATABASE_REPLICA_URLS', postgres);
  for (const url of urls) checkParameters(read, 'DATABASE_REPLICA_URLS', url);
  return urls;
}

/** The driver ignores an unknown value: the connection would then not be encrypted. */
function checkParameters(read: Reader, variable: string, url: string): void {
  const allowed = { target_session_attrs: sessionAttributes, sslmode: sslModes };
  for (const [name, values] of Object.entries(allowed)) {
    const value = readParameter(url, name);
    if (value !== null && !values.some((each) => each === value))
      read.faults.push(`${variable} has ${name}=${value}; it must be one of ${values.join(', ')}.`);
  }
}

type Reach = { host: string; publicUrl: string | undefined; trustProxy: string[] | false };

/**
 * Returns the variables that may let other machines reach this server. A server behind a proxy can listen on
 * loopback.
 */
function exposingVariables({ host, publicUrl, trustProxy }: Reach): string[] {
  const names: string[] = [];
  if (!isLoopbackHost(host)) names.push('HOST');
  if (trustProxy) names.push('TRUST_PROXY');
  if (publicUrl !== undefined && !isLoopbackUrl(publicUrl)) names.push('PUBLIC_URL');
  return names;
}

/**
 * Reads all quotas, also while they are off, so that an invalid value is found before they are switched on.
 */
function readQuotas(read: Reader, production: boolean): Record<QuotaKind, number> | null {
  const quotas = {
    events: read.whole('EVENTS_PER_DAY', 100, 1, 1_000_000),
    items: read.whole('ITEMS_PER_DAY', 2_000, 1, 1_000_000),
    follows: read.whole('FOLLOWS_PER_DAY', 500, 1, 1_000_000),
  };
  return read.onOff('QUOTAS', production) ? quotas : null;
}

const maxRetentionDays = 36_500;

const readRetention = (read: Reader): Config['retention'] => ({
  auditDays: read.whole('AUDIT_RETENTION_DAYS', 365, 1, maxRetentionDays),
  notificationDays: read.whole('NOTIFICATION_RETENTION_DAYS', 90, 1, maxRetentionDays),
  messageDays:
    read.text('MESSAGE_RETENTION_DAYS') === undefined
      ? null
      : read.whole('MESSAGE_RETENTION_DAYS', 1, 1, maxRetentionDays),
});

function readDevCodes(read: Reader, production: boolean, isLocal: boolean): boolean {
  const devCodes = read.onOff('DEV_CODES', isLocal && !production);
  if (production && devCodes) {
    read.faults.push(
      'DEV_CODES is on, which is not allowed in production: every client could sign in as any account.',
    );
  }
  return devCodes && !production;
}

function readDemo(
  read: Reader,
  production: boolean,
  exposedBy: string[],
  { demoAllowed, fallback }: { demoAllowed: boolean; fallback: boolean },
): boolean {
  const demo = read.onOff('DEMO', fallback);
  if (!demo || demoAllowed) return demo;
  const reason = 'the phone numbers of the demo accounts are known';
  read.faults.push(
    production
      ? `DEMO is on, which is not allowed in production: ${reason}.`
      : `DEMO is on, but ${exposedBy.join(' and ')} can let other machines reach this server, and ${reason}. ` +
          'Set DEMO=off; or set HOST and PUBLIC_URL to loopback addresses and TRUST_PROXY=off; ' +
          'or, if every client may sign in as any account, set DEV_CODES=on.',
  );
  return false;
}

function readSecretKey(read: Reader, production: boolean): string | undefined {
  const key = read.text('SECRET_KEY');
  if (production && key === undefined)
    read.faults.push('SECRET_KEY is not set; in production it must be, with 32 or more characters.');
  if (key !== undefined && key.length < 32)
    read.faults.push('SECRET_KEY is too short; it needs 32 or more characters.');
  return key;
}

function readPublicUrl(read: Reader, production: boolean): string | undefined {
  if (production && read.text('PUBLIC_URL') === undefined) {
    read.faults.push('PUBLIC_URL is not set; in production it must be: links to images begin with it.');
  }
  const url = read.url('PUBLIC_URL', ['http:', 'https:']);
  if (url === undefined) return undefined;
  const { origin, pathname, search, hash, username, password } = new URL(url);
  // Links and cookies are those of a whole origin.
  if (pathname !== '/' || search + hash + username + password !== '')
    read.faults.push(
      'PUBLIC_URL must have a scheme, a host and a port only, such as https://events.example.org: ' +
        'Potluck serves its pages at the root of a host, not below a path.',
    );
  return origin;
}

function readSms(read: Reader, production: boolean): SmsConfig {
  // No default in production: a server that sends no messages must be a deliberate choice.
  if (production && read.text('SMS_DRIVER') === undefined) {
    read.faults.push(
      'SMS_DRIVER is not set; in production it must be: twilio, which sends the codes, ' +
        'or console, which only writes them into the log of this server.',
    );
  }
  const driver = read.oneOf('SMS_DRIVER', ['console', 'twilio'], 'console');
  if (driver === 'console') return { driver };
  const accountSid = read.needed('TWILIO_ACCOUNT_SID', 'SMS_DRIVER=twilio needs it');
  if (accountSid && !/^AC[\da-f]{32}$/i.test(accountSid))
    read.faults.push('TWILIO_ACCOUNT_SID is not an account SID; those are AC and 32 hexadecimal digits.');
  return {
    driver,
    accountSid,
    authToken: read.needed('TWILIO_AUTH_TOKEN', 'SMS_DRIVER=twilio needs it'),
    from: readSender(read),
    baseUrl: read.url('TWILIO_BASE_URL', ['http:', 'https:']),
  };
}

/**
 * The senders that Twilio accepts: a number in E.164 format, a short code, a messaging service, or a name of at most 11
 * characters with a letter, which many countries allow and some, such as the United States, do not.
 */
const senders = [/^\+[1-9]\d{6,14}$/, /^\d{3,8}$/, /^MG[\da-f]{32}$/i, /^(?=.*[a-z])[a-z\d &+_-]{1,11}$/i];

function readSender(read: Reader): string {
  const why = 'SMS_DRIVER=twilio needs the number or messaging service that sends';
  const sender = read.needed('TWILIO_FROM', why);
  if (sender && !senders.some((pattern) => pattern.test(sender))) {
    read.faults.push(
      `TWILIO_FROM is "${sender}"; it must be a number such as +12025550102, a short code, a messaging service ` +
        '(MG and 32 hexadecimal digits), or a name of at most 11 letters, digits and spaces.',
    );
  }
  return sender;
}

function readS3(read: Reader): S3Config | undefined {
  const bucket = read.text('S3_BUCKET');
  const [accessKeyId, secretAccessKey] = [read.text('S3_ACCESS_KEY_ID'), read.text('S3_SECRET_ACCESS_KEY')];
  const endpoint = read.url('S3_ENDPOINT', ['http:', 'https:']);
  if (bucket === undefined) {
    // The operator intends to use a bucket; without this check, images would be stored in a directory.
    if (endpoint ?? accessKeyId ?? secretAccessKey ?? read.text('S3_REGION'))
      read.needed('S3_BUCKET', 'the other S3 variables need it');
    return undefined;
  }
  if (!/^[a-z\d][\w.-]{1,254}$/i.test(bucket))
    read.faults.push(
      `S3_BUCKET is "${bucket}"; it must be the name of a bucket, without s3:// and without a path.`,
    );
  const region = read.text('S3_REGION') ?? 'us-east-1';
  if (!/^[\w-]+$/.test(region))
    read.faults.push(`S3_REGION is "${region}"; it must be the code of a region, such as eu-north-1.`);
  if (endpoint !== undefined && /[?#@]/.test(endpoint))
    read.faults.push(
      'S3_ENDPOINT must have no user, no query and no fragment: the keys are variables of their own.',
    );
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    read.faults.push('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY go together: set both, or neither.');
  const keys = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  return { bucket, region, endpoint, keys };
}

function readMapTiles(read: Reader): MapTiles | undefined {
  const value = read.text('MAP_TILES');
  if (value === undefined) return undefined;
  if (!/^[a-z][a-z\d+.-]*:/i.test(value)) return { file: path.resolve(value) };
  const url = isUrl(value, ['https:']) ? new URL(value) : null;
  // Browsers load the file, and they accept no URL with a password.
  if (url && url.username + url.password === '') return { url: url.href };
  read.faults.push(
    'MAP_TILES must be the path of a PMTiles file, or an address of one that starts with https:// and has no password.',
  );
  return undefined;
}

const networks = /^(loopback|linklocal|uniquelocal)$/;

function readProxies(read: Reader): string[] | false {
  const value = read.text('TRUST_PROXY');
  if (value === undefined || value === 'off') return false;
  const proxies = value.split(',').map((proxy) => proxy.trim());
  for (const proxy of proxies) {
    const [address = '', bits, ...rest] = proxy.split('/');
    const maxBits = isIP(address) === 6 ? 128 : 32;
    // "0" is no mask of the parser, and would let every client forge its address.
    if (isIP(address) !== 0 && /^0+$/.test(bits ?? '')) {
      read.faults.push(
        `TRUST_PROXY has "${proxy}", which is every address: clients could then forge theirs. Name the proxies.`,
      );
      continue;
    }
    const isNetwork = isIP(address) !== 0 && rest.length === 0 && isWhole(bits ?? '0', 0, maxBits);
    if (!isNetwork && !networks.test(proxy)) {
      read.faults.push(
        `TRUST_PROXY has "${proxy}"; it must be a list of addresses, networks such as 10.0.0.0/8, ` +
          'or loopback, linklocal or uniquelocal.',
      );
    }
  }
  return proxies;
}

function readOrigins(read: Reader): '*' | string[] {
  const value = read.text('CORS_ORIGINS') ?? '*';
  if (value === '*') return value;
  if (value === 'off') return [];
  const origins = value.split(',').map((origin) => origin.trim());
  for (const origin of origins) {
    // Requests are compared with the serialization that browsers send.
    if (!isUrl(origin, ['http:', 'https:']) || new URL(origin).origin !== origin) {
      read.faults.push(
        `CORS_ORIGINS has "${origin}"; it must be *, off, or a list of origins such as https://app.example.org, ` +
          'without a slash at the end.',
      );
    }
  }
  return origins;
}

/** Returns the URL of the server for clients on this machine. A URL has no zone, as fe80::1%eth0 does. */
function localUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.replace(/%.*$/, '');
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** The configuration of a server that has a secret key. */
export type ReadyConfig = Config & { secretKey: string };
