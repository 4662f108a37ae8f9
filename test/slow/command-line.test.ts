/** The command line: versions, options, and directories that cannot be used. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { access, mkdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { cleanUpAfterTests, createTempDir, expectNoPostgres, potluck } from '../support/processes.ts';

cleanUpAfterTests();

const root = path.join(import.meta.dirname, '..', '..');
const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const entry = path.join(root, 'bin', 'potluck.js');

/** A DATA_DIR with which every command that opens a database fails. */
const unusable = { DATA_DIR: '/dev/null/data' };

type Outcome = { code: number | NodeJS.Signals | null; out: string; err: string };

async function run(args: string[], env: Record<string, string> = unusable): Promise<Outcome> {
  const { ended, output } = potluck(args, { env });
  return { code: await ended, ...output };
}

const runEntry = (node: string, args: string[]) =>
  new Promise<Outcome>((resolve) => {
    execFile(node, args, (error, out, err) => resolve({ code: error ? Number(error.code) : 0, out, err }));
  });

/** Finds the first Node.js in PATH outside node_modules; returns its path if it is too old for Potluck. */
async function findOldNode(): Promise<string | undefined> {
  for (const directory of (process.env.PATH ?? '').split(path.delimiter)) {
    const node = path.join(directory, 'node');
    const isThere = await access(node).then(
      () => true,
      () => false,
    );
    if (!isThere || directory.includes('node_modules')) continue;
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    return Number.parseInt(stdout.slice(1), 10) < 26 ? node : undefined;
  }
}

const oldNode = await findOldNode();

describe('command line', { concurrency: 2 }, () => {
  test('version: --version, -v and version print the version of the package', async () => {
    for (const args of [['--version'], ['-v'], ['version'], ['serve', '--version']])
      assert.deepEqual(await run(args), { code: 0, out: `${manifest.version}\n`, err: '' }, args.join(' '));
  });

  test('options: exit code 1 and one sentence that names an unknown option, argument or missing value', async () => {
    const hint = '"bin/potluck help" lists the commands and their options';
    const cases: [string[], string][] = [
      [['serve', '--port', '3000'], `There is no option "--port"; ${hint}.`],
      [['-x'], `There is no option "-x"; ${hint}.`],
      [['migrate', '--since=7d'], `"migrate" takes no option "--since"; ${hint}.`],
      [['import', 'x.ics', '--organizer'], `The option "--organizer" needs a value; ${hint}.`],
      [['import', '--organizer', '--category', 'food'], `The option "--organizer" needs a value; ${hint}.`],
      [['backup', 'x.gz', '--force=yes'], `The option "--force" takes no value; ${hint}.`],
      [['serve', '3000'], `"serve" takes no argument "3000"; ${hint}.`],
    ];
    for (const [args, sentence] of cases)
      assert.deepEqual(await run(args), { code: 1, out: '', err: `${sentence}\n` }, args.join(' '));
  });

  test('DATA_DIR: exit code 1 and one line without delay for a dangling link and for a path below /proc', async () => {
    const directory = await createTempDir();
    const link = path.join(directory, 'link');
    await symlink('/nowhere/data', link);
    const cases: [string, RegExp][] = [
      [
        link,
        /^DATA_DIR is [^\n]*link, which cannot be used: [^\n]*link is a link to \/nowhere\/data[^\n]*\n$/,
      ],
      [
        path.join(link, 'deeper'),
        /^DATA_DIR is [^\n]*cannot be used: [^\n]*is a link to \/nowhere\/data[^\n]*\n$/,
      ],
      ['/proc/potluck', /^DATA_DIR is \/proc\/potluck, which cannot be used: [^\n]+\n$/],
      ['/proc', /^DATA_DIR is \/proc, which cannot be used: [^\n]+\n$/],
    ];
    for (const [DATA_DIR, message] of cases) {
      for (const extra of [{}, { SECRET_KEY: 'a-key-of-thirty-two-characters-or-more' }]) {
        const { child, ended, output } = potluck(['migrate'], { env: { DATA_DIR, ...extra } });
        const limit = setTimeout(() => child.kill('SIGKILL'), 8_000);
        assert.equal(await ended, 1, `${DATA_DIR}: ${output.err}`);
        clearTimeout(limit);
        assert.match(output.err, message);
      }
    }
  });

  test('NODE_ENV: exit code 1 and one line for an unknown value', async () => {
    const { code, out, err } = await run(['serve'], { ...unusable, NODE_ENV: 'Production', HOST: '0.0.0.0' });
    const expected = 'NODE_ENV is "Production"; it must be one of development, test, production.\n';
    assert.deepEqual({ code, out, err }, { code: 1, out: '', err: expected });
  });

  test('demo: exit code 1 and one line when HOST allows remote connections', async () => {
    const { code, err } = await run(['demo'], { ...unusable, HOST: '0.0.0.0' });
    assert.equal(code, 1);
    assert.match(err, /^The demo accounts have known phone numbers[^\n]+HOST[^\n]+DEV_CODES=on\.\n$/);
  });

  test('openapi: prints the document with PUBLIC_URL, without a database', async () => {
    const { code, out, err } = await run(['openapi'], {
      ...unusable,
      PUBLIC_URL: 'https://events.example.org',
    });
    assert.deepEqual({ code, err }, { code: 0, err: '' });
    const document = JSON.parse(out);
    assert.equal(document.info.version, manifest.version);
    assert.deepEqual(document.servers, [{ url: 'https://events.example.org' }]);
    assert.equal(document.paths['/v1/items/{id}/claim'].post.operationId, 'claimItem');
  });

  test('migrate: prints the number of migrations and the version; a second run prints that there was none to apply', async () => {
    const DATA_DIR = path.join(await createTempDir(), 'not', 'there', 'yet');
    await mkdir(path.dirname(path.dirname(DATA_DIR)));
    const first = await run(['migrate'], { DATA_DIR });
    const [, count, version] =
      /^Applied (\d+) migrations?; the database is at version (\d+)\.\n$/.exec(first.out) ?? [];
    assert.ok(Number(count) >= 1 && count === version, JSON.stringify(first));
    const second = await run(['migrate'], { DATA_DIR });
    const expected = `The database is up to date, at version ${version}; there was no migration to apply.\n`;
    assert.deepEqual(second, { code: 0, out: expected, err: '' });
    await expectNoPostgres(DATA_DIR);
  });

  test('Node.js: bin/potluck.js exits with 1 and one sentence under an old version, and runs under the pinned version', async () => {
    const preload = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`;
    const refused = await runEntry(process.execPath, [
      '--import',
      `data:text/javascript,${preload}`,
      entry,
      'help',
    ]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /^Potluck needs Node\.js 26 or later; this is Node\.js 20\.1\.0\. [^\n]+\n$/);
    assert.deepEqual(await runEntry(process.execPath, [entry, '-v']), {
      code: 0,
      out: `${manifest.version}\n`,
      err: '',
    });
  });

  test('bin/potluck: runs under the pinned version in any directory, also through a symbolic link, as npm start does', async () => {
    const link = path.join(await createTempDir(), 'potluck');
    await symlink(path.join(root, 'bin', 'potluck'), link);
    assert.deepEqual(await runEntry(link, ['version']), { code: 0, out: `${manifest.version}\n`, err: '' });
    assert.equal(manifest.scripts.start, 'exec bin/potluck serve');
  });

  test('Node.js: bin/potluck.js exits with 1 and one sentence under the old Node.js of this machine', {
    skip: !oldNode && 'this machine has no old Node.js',
  }, async () => {
    const { code, err } = await runEntry(oldNode ?? '', [entry, 'serve']);
    assert.equal(code, 1);
    assert.match(err, /^Potluck needs Node\.js 26 or later; this is Node\.js \d+[^\n]+\n$/);
  });
});

test('git: ignores the backup file of the README', async (t) => {
  const git = (...args: string[]) => spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' });
  if (git('rev-parse', '--git-dir').status !== 0) return t.skip('no Git repository');
  const ignored = (file: string) => git('check-ignore', '--no-index', '--quiet', file).status === 0;
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const [, file = ''] = /potluck backup (\S+)/.exec(readme) ?? [];
  assert.ok(ignored(file), file);
  assert.ok(ignored(`${file}.0a1b2c3d.part`), 'the draft of a backup');
  assert.ok(!ignored('README.md'));
});
