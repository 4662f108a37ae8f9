/**
 * Reads the environment variables, once at the start, into a frozen object. `.env.example` documents every
 * variable.
 */
import os from 'node:os';
import path from 'node:path';
import { shareOf } from '#base';
import { languages } from '../../web/src/lib/language/languages.ts';
import { type CountryCode, toCountry } from '../lib/phone.ts';
import { findMistyped } from '../lib/similar-names.ts';
import { readOidc } from '../modules/accounts/oidc/config.ts';
import { readSms } from '../modules/accounts/sms/config.ts';
import { readImportTestOrigin } from '../modules/imports/config.ts';
import { readGeocoder } from '../modules/places/streets/config.ts';
import { readBackups } from './backups.ts';
import { readContact } from './contact.ts';
import { readDatabaseUrl, readReplicas } from './database.ts';
import { readInstanceName } from './instance-name.ts';
import { readMail } from './mail.ts';
import { readMapTiles } from './map-tiles.ts';
import { exposingVariables, localUrl, readOrigins, readProxies, readPublicUrl } from './network.ts';
import { type Reader, readerOf } from './reader.ts';
import { readS3 } from './s3.ts';
import { readServers } from './servers.ts';
import { readSignIn } from './sign-in.ts';
import { readTelemetry } from './telemetry.ts';

/** What the daily quotas count. */
export type QuotaKind = 'events' | 'items' | 'follows' | 'messages';

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
  const { config, faults } = inspectConfig(env);
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return config;
}

/** As `readConfig`, but returns the faults, and the default of each invalid variable, for the command `doctor`. */
export function inspectConfig(env: NodeJS.ProcessEnv): { config: Config; faults: string[] } {
  const read = readerOf(env);
  const settings = readSettings(read);
  if (!URL.canParse(settings.publicUrl))
    read.faults.push(`HOST is "${settings.host}"; it must be an address or a name.`);
  const warnings = findMistyped(Object.keys(env), read.names).map(
    ({ name, known }) => `${name} is not a variable of Potluck and has no effect; is ${known} meant?`,
  );
  return { config: Object.freeze({ ...settings, warnings }), faults: [...new Set(read.faults)] };
}

export type Config = Readonly<
  ReturnType<typeof readSettings> & {
    /** One line for each variable that no program reads, but whose name resembles one of Potluck. */
    warnings: string[];
  }
>;

/** The configuration of a server that has a secret key. */
export type ReadyConfig = Config & { secretKey: string };

function readSettings(read: Reader) {
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
  const dataDir = path.resolve(read.text('DATA_DIR') ?? 'data');
  const mail = readMail(read, { devCodes, publicUrl });
  const oidc = readOidc(read);
  const signIn = readSignIn(read, {
    phone: !production || read.text('SMS_DRIVER') !== undefined,
    email: mail.driver !== 'off',
    oidc: oidc !== undefined,
  });
  return {
    production,
    port,
    host,
    /** The number of processes that answer requests. */
    servers: readServers(read),
    /** Undefined for the embedded database in `dataDir`. */
    databaseUrl,
    /** Streaming replicas of that database, to read from. */
    databaseReplicaUrls: readReplicas(read),
    /** An absolute path. */
    dataDir,
    /** Whether the embedded database is backed up before a migration. */
    migrationBackup: read.onOff('MIGRATION_BACKUP', true),
    demo: readDemo(read, production, exposedBy, { demoAllowed, fallback: !databaseUrl && demoAllowed }),
    /**
     * True if only this machine can reach the server: HOST and PUBLIC_URL are loopback addresses, TRUST_PROXY is off.
     */
    isLocal,
    /** Whether demo accounts, whose phone numbers are known, may exist. */
    demoAllowed,
    /** Whether a response may contain the code that it sends (`devCode`), if the SMS driver is `console`. */
    devCodes,
    /** Undefined until the command has read or created the key file in `dataDir`. */
    secretKey: readSecretKey(read, production),
    /** The URL at which clients reach this server, without a trailing slash. */
    publicUrl: publicUrl ?? localUrl(host, port),
    sms: readSms(read, production && signIn.ways.includes('phone')),
    /** The name by which messages call this server. Undefined: an admin names it. */
    instanceName: readInstanceName(read),
    /** The language for those who ask for none that the server has. Undefined: an admin chooses it. */
    defaultLanguage: readDefaultLanguage(read),
    mail,
    /** The OpenID Connect provider; undefined if none is configured. */
    oidc,
    /** The kinds of contacts with which people can sign in. */
    signIn: signIn.ways,
    /** Whether the operator has chosen them. Otherwise admins can switch some of them off. */
    isSignInFixed: signIn.isFixed,
    /** The country of phone numbers that are written without the code of a country. */
    defaultCountry: readDefaultCountry(read),
    /** The maximum number of text messages that the server sends per day. */
    smsPerDay: read.whole('SMS_PER_DAY', 2_000, 1, 10_000_000),
    smsNoticesPerDay: read.whole('SMS_NOTICES_PER_DAY', 200, 0, 10_000_000),
    /** The maximum number of requests per minute for each client network; 0 for no limit. */
    rateLimit: read.whole('RATE_LIMIT', production ? 600 : 0, 0, 1_000_000),
    /** The maximum number of messages per minute for each sender; 0 for no limit. */
    messagesPerMinute: read.whole('MESSAGES_PER_MINUTE', 60, 0, 1_000_000),
    /** The maximum numbers that a person may create per day; null for no limit. */
    dailyQuotas: readQuotas(read, production),
    /** For how many days the server keeps what only grows; null: for ever. */
    retention: readRetention(read),
    /** The origins whose pages may read responses; `*` for all origins. */
    corsOrigins: readOrigins(read),
    /** Reverse proxies whose `X-Forwarded-For` is trusted: addresses, networks, or names such as `loopback`. */
    trustProxy,
    /** An origin from which tests import. Undefined in production. */
    importTestOrigin: readImportTestOrigin(read, production),
    /** The default value of the flag `claims`. */
    claimsEnabled: read.onOff('FEATURE_CLAIMS', true),
    /** Where lists are computed: in memory, or by statements on the database. */
    discovery: read.oneOf('DISCOVERY', ['memory', 'sql'], 'memory'),
    /** The memory of this process for all caches and the discovery index together, in bytes. */
    cacheBytes: shareOf(read.whole('CACHE_MB', defaultCacheMb(), 16, 1_048_576) * MiB),
    logLevel: read.oneOf('LOG_LEVEL', logLevels, 'info'),
    /** Whether each request is logged. */
    logRequests: read.onOff('LOG_REQUESTS', false),
    /** The collector of traces, metrics and logs; undefined if nothing is exported. */
    telemetry: readTelemetry(read),
    /** Where images are stored; undefined for a directory in `dataDir`. */
    s3: readS3(read),
    /** The backups that the server makes; undefined for none. */
    backups: readBackups(read),
    mapTiles: readMapTiles(read, dataDir),
    /** The address of the map that the streets of a town are cut out of; undefined for the newest one of Protomaps. */
    streetsFrom: read.url('STREETS_FROM', ['https:', 'http:']),
    /** The geocoder that finds streets; undefined for none. */
    geocoder: readGeocoder(read),
    /** How visitors reach the operator: the target of a link. Undefined: an admin enters it. */
    contact: readContact(read),
  };
}

/**
 * Reads all quotas, also while they are off, so that an invalid value is found before they are switched on.
 */
function readQuotas(read: Reader, production: boolean): Record<QuotaKind, number> | null {
  const quotas = {
    events: read.whole('EVENTS_PER_DAY', 100, 1, 1_000_000),
    items: read.whole('ITEMS_PER_DAY', 2_000, 1, 1_000_000),
    follows: read.whole('FOLLOWS_PER_DAY', 500, 1, 1_000_000),
    messages: read.whole('MESSAGES_PER_DAY', 2_000, 1, 1_000_000),
  };
  return read.onOff('QUOTAS', production) ? quotas : null;
}

const maxRetentionDays = 36_500;

const readRetention = (read: Reader) => ({
  auditDays: read.whole('AUDIT_RETENTION_DAYS', 365, 1, maxRetentionDays),
  notificationDays: read.whole('NOTIFICATION_RETENTION_DAYS', 90, 1, maxRetentionDays),
  mailDays: read.whole('MAIL_RETENTION_DAYS', 30, 1, maxRetentionDays),
  messageDays:
    read.text('MESSAGE_RETENTION_DAYS') === undefined
      ? null
      : read.whole('MESSAGE_RETENTION_DAYS', 1, 1, maxRetentionDays),
});

const readDefaultLanguage = (read: Reader) =>
  read.text('DEFAULT_LANGUAGE') === undefined ? undefined : read.oneOf('DEFAULT_LANGUAGE', languages, 'en');

function readDefaultCountry(read: Reader): CountryCode | undefined {
  const code = read.text('DEFAULT_COUNTRY');
  const country = code === undefined ? undefined : toCountry(code.toUpperCase());
  if (code !== undefined && !country)
    read.faults.push(`DEFAULT_COUNTRY is "${code}"; it must be the two letters of a country, such as SE.`);
  return country;
}

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
