/** How old the embedded PostgreSQL and the libraries in its package are, by its files alone: a server may have no network. */
import { findBinaries, listLibraries, type NativeLibrary } from '#embedded-postgres';
import { type Check, good, type Result, skipped, warning } from '../../doctor/finding.ts';

/** The version of the packages in package.json, and the day on which the registry of npm got it. */
export const embeddedPackage = { version: '18.4.0-beta.17', published: '2026-06-06' };

/** PostgreSQL publishes fixes every three months: after this time, two rounds of them are missing. */
const maxAgeDays = 190;
const dayMs = 86_400_000;
/** Versions below these get no fixes any more. OpenSSL 1.1.1 got its last ones in September 2023. */
const oldestMaintained: Record<string, number> = { OpenSSL: 3, ICU: 74 };

const next =
  'Install the newest release of Potluck. If it has the same version, use a PostgreSQL that the system keeps up to date (DATABASE_URL).';

export const embeddedVersions: Check = {
  name: 'embedded',
  variables: ['DATABASE_URL'],
  async run({ config }) {
    if (config.databaseUrl) return skipped('The database is not the embedded one.');
    return [describeAge(new Date()), describeLibraries(await listLibraries(await findBinaries()))];
  },
};

/** @param now what the age of the package is counted to */
export function describeAge(now: Date): Result {
  const { version, published } = embeddedPackage;
  const days = Math.floor((now.getTime() - Date.parse(published)) / dayMs);
  const text = `The embedded PostgreSQL ${version} was published on ${published}.`;
  return days <= maxAgeDays
    ? good(text)
    : warning(`${text} PostgreSQL publishes fixes every three months, so it lacks some.`, next);
}

export function describeLibraries(libraries: NativeLibrary[]): Result {
  const watched = libraries.filter(({ name, version }) => oldestMaintained[name] && version);
  const list = (some: NativeLibrary[]) => some.map(({ name, version }) => `${name} ${version}`).join(' and ');
  const old = watched.filter(
    ({ name, version }) => Number.parseInt(version ?? '', 10) < (oldestMaintained[name] ?? 0),
  );
  if (old.length === 0)
    return good(`Its libraries are maintained: ${list(watched) || 'those of the system'}.`);
  return warning(
    `Its libraries get no fixes any more: ${list(old)}. Only this machine connects to it, through a socket without encryption.`,
    next,
  );
}
