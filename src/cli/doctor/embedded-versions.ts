/** How old the embedded PostgreSQL and the libraries in its package are, by its files alone: a server may have no network. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { findBinaries } from '#embedded-postgres';
import { type Check, good, type Result, skipped, warning } from '../../doctor/finding.ts';

/** The version of the packages in package.json, and the day on which the registry of npm got it. */
export const embeddedPackage = { version: '18.4.0-beta.17', published: '2026-06-06' };

/** PostgreSQL publishes fixes every three months: after this time, two rounds of them are missing. */
const maxAgeDays = 190;
const dayMs = 86_400_000;
/** Versions below these get no fixes any more. OpenSSL 1.1.1 got its last ones in September 2023. */
const oldestMaintained = { OpenSSL: 3, ICU: 74 };

const next =
  'Install the newest release of Potluck. If it has the same version, use a PostgreSQL that the system keeps up to date (DATABASE_URL).';

export const embeddedVersions: Check = {
  name: 'embedded',
  variables: ['DATABASE_URL'],
  async run({ config }) {
    if (config.databaseUrl) return skipped('The database is not the embedded one.');
    const { files, openssl } = await readLibraries(path.join(await findBinaries(), 'lib'));
    return [describeAge(new Date()), describeLibraries(files, openssl)];
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

/** @param files the names in the directory of libraries @param openssl what the library says of its version, if there is one */
export function describeLibraries(files: string[], openssl: string | null): Result {
  const icu = files.flatMap((file) => /^libicuuc\.(?:so\.)?(\d+)/.exec(file)?.[1] ?? [])[0];
  const found = [
    ...(openssl ? [{ name: 'OpenSSL', version: openssl } as const] : []),
    ...(icu ? [{ name: 'ICU', version: icu } as const] : []),
  ];
  const list = (libraries: typeof found) =>
    libraries.map(({ name, version }) => `${name} ${version}`).join(' and ');
  const old = found.filter(({ name, version }) => Number.parseInt(version, 10) < oldestMaintained[name]);
  if (old.length === 0) return good(`Its libraries are maintained: ${list(found) || 'those of the system'}.`);
  return warning(
    `Its libraries get no fixes any more: ${list(old)}. Only this machine connects to it, through a socket without encryption.`,
    next,
  );
}

async function readLibraries(directory: string): Promise<{ files: string[]; openssl: string | null }> {
  const files = await readdir(directory);
  const crypto = files.find((file) => /^libcrypto[.\d]*\.(?:so|dylib)/.test(file));
  if (!crypto) return { files, openssl: null };
  const [, version] =
    /OpenSSL (\d+\.\d+\.\d+[a-z]? +\d+ \w{3} \d{4})/.exec(
      await readFile(path.join(directory, crypto), 'latin1'),
    ) ?? [];
  return { files, openssl: version?.replace(/ +/, ' of ') ?? null };
}
