/** The URLs of the database and of its replicas. */
import { readParameter, sessionAttributes, sslModes } from '#base';
import type { Reader } from './reader.ts';

const postgres = ['postgres:', 'postgresql:'];

export function readDatabaseUrl(read: Reader): string | undefined {
  const url = read.url('DATABASE_URL', postgres);
  if (url !== undefined) checkParameters(read, 'DATABASE_URL', url);
  return url;
}

export function readReplicas(read: Reader): string[] {
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
