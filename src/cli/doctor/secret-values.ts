/** The secrets of the environment, which no output may contain. */
import { oidcSecrets } from '../../modules/accounts/oidc/config.ts';
import { smsSecrets } from '../../modules/accounts/sms/config.ts';

const plain = ['SECRET_KEY', 'S3_SECRET_ACCESS_KEY', ...oidcSecrets, ...smsSecrets.plain];
const urls = ['DATABASE_URL', 'DATABASE_REPLICA_URLS', 'MAIL_URL', ...smsSecrets.urls];
/** Any word of them may be a key. */
const templates = [
  ...smsSecrets.templates,
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
  'OTEL_EXPORTER_OTLP_LOGS_HEADERS',
];

/** The variables whose values contain secrets. */
export const secretVariables = [...new Set([...plain, ...urls, ...templates])];

/** Shorter ones would hide parts of other words. */
const minLength = 6;

export function secretsIn(env: NodeJS.ProcessEnv): string[] {
  const valuesOf = (names: string[]) => names.flatMap((name) => env[name]?.trim() || []);
  const found = [
    ...valuesOf(plain),
    ...valuesOf(urls).flatMap(passwordsIn),
    ...valuesOf(templates).flatMap((value) => value.match(/[\w+/=~.-]{12,}/g) ?? []),
  ];
  // Longer ones first: one may contain another.
  return [...new Set(found)].filter(({ length }) => length >= minLength).sort((a, b) => b.length - a.length);
}

/** The passwords of a list of URLs, as they are written and as they are meant. */
function passwordsIn(text: string): string[] {
  return Array.from(text.matchAll(/\/\/[^/?#\s:@]*:([^/?#\s]*)@/g), ([, password = '']) => password).flatMap(
    (password) => [password, decode(password)],
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Replaces each of the secrets, and phone numbers. Servers repeat in their errors what they were sent. */
export const withoutSecrets = (text: string, secrets: string[]): string =>
  secrets
    .reduce((result, secret) => result.replaceAll(secret, '…'), text)
    .replace(/\+\d{5,12}(\d{3})\b/g, '…$1');
