/** The environment, read once at the start into one frozen object. Every variable is explained in `.env.example`. */
import path from 'node:path';

export type SmsConfig =
  | { driver: 'console' }
  | { driver: 'twilio'; accountSid: string; authToken: string; from: string; baseUrl: string | undefined };

export type Config = Readonly<{
  production: boolean;
  port: number;
  host: string;
  /** Undefined: the embedded database under `dataDir`. */
  databaseUrl: string | undefined;
  /** Absolute. */
  dataDir: string;
  demo: boolean;
  /** Undefined until `main.ts` has made or read the one kept under `dataDir`. */
  secretKey: string | undefined;
  /** Where clients reach this server, without a slash at the end. */
  publicUrl: string;
  sms: SmsConfig;
  /** Text messages that may be sent in a day, to everybody together. */
  smsPerDay: number;
  /** Requests a minute for each caller; 0 switches the limit off. */
  rateLimit: number;
  /** True behind a reverse proxy: the caller's address is then taken from X-Forwarded-For. */
  trustProxy: boolean;
  /** The start value of the flag `claims`. */
  claimsEnabled: boolean;
  logLevel: string;
}>;

/** Says which variables are wrong and why, one to a line. */
export class ConfigError extends Error {}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** @throws ConfigError with one line for each variable that is wrong */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const faults: string[] = [];
  const production = env.NODE_ENV === 'production';

  const text = (name: string) => env[name]?.trim() || undefined;
  const oneOf = <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
    const value = text(name);
    if (value === undefined) return fallback;
    const found = allowed.find((option) => option === value);
    if (!found) faults.push(`${name} is "${value}"; it must be one of ${allowed.join(', ')}.`);
    return found ?? fallback;
  };
  const whole = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    faults.push(`${name} is "${value}"; it must be a whole number from ${min} to ${max}.`);
    return fallback;
  };
  const url = (name: string, protocols: string[]): string | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/+$/, '');
    // The value is left out on purpose: a database address holds a password.
    faults.push(`${name} is not an address that starts with ${protocols.join('// or ')}//.`);
    return undefined;
  };
  const needed = (name: string, why: string): string => {
    const value = text(name);
    if (value === undefined) faults.push(`${name} is not set; ${why}.`);
    return value ?? '';
  };

  const host = text('HOST') ?? '127.0.0.1';
  const port = whole('PORT', 3000, 0, 65_535);
  const databaseUrl = url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const secretKey = text('SECRET_KEY');
  if (production && !secretKey)
    faults.push('SECRET_KEY is not set; in production it must be, with 32 or more characters.');
  if (secretKey && secretKey.length < 32)
    faults.push('SECRET_KEY is too short; it needs 32 or more characters.');

  const driver = oneOf('SMS_DRIVER', ['console', 'twilio'], 'console');
  const config: Config = {
    production,
    port,
    host,
    databaseUrl,
    dataDir: path.resolve(text('DATA_DIR') ?? 'data'),
    demo: oneOf('DEMO', ['on', 'off'], databaseUrl || production ? 'off' : 'on') === 'on',
    secretKey,
    publicUrl:
      url('PUBLIC_URL', ['http:', 'https:']) ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    sms:
      driver === 'console'
        ? { driver }
        : {
            driver,
            accountSid: needed('TWILIO_ACCOUNT_SID', 'SMS_DRIVER=twilio needs it'),
            authToken: needed('TWILIO_AUTH_TOKEN', 'SMS_DRIVER=twilio needs it'),
            from: needed('TWILIO_FROM', 'SMS_DRIVER=twilio needs the number or messaging service that sends'),
            baseUrl: url('TWILIO_BASE_URL', ['http:', 'https:']),
          },
    smsPerDay: whole('SMS_PER_DAY', 2_000, 1, 10_000_000),
    rateLimit: whole('RATE_LIMIT', production ? 600 : 0, 0, 1_000_000),
    trustProxy: oneOf('TRUST_PROXY', ['on', 'off'], 'off') === 'on',
    claimsEnabled: oneOf('FEATURE_CLAIMS', ['on', 'off'], 'on') === 'on',
    logLevel: oneOf('LOG_LEVEL', logLevels, 'info'),
  };
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return Object.freeze(config);
}
