/** What a production installation needs: the dependencies of package.json, and no other package. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { isBuiltin, registerHooks } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { listFiles } from '../../client/build.ts';
import manifest from '../../package.json' with { type: 'json' };
import web from '../../web/package.json' with { type: 'json' };

const root = path.join(import.meta.dirname, '..', '..');

const nameOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
const isPackage = (specifier: string) => !/^(\.|#|node:|file:)/.test(specifier) && !isBuiltin(specifier);

/** The packages that a file imports. */
function listImports(source: string): string[] {
  const statements = source.matchAll(/ from '([^']+)';$|^import '([^']+)';$|\bimport\('([^']+)'\)/gm);
  return Array.from(statements, ([, ...found]) => found.find((each) => each) ?? '')
    .filter(isPackage)
    .map(nameOf);
}

test('dependencies: the server imports only packages of `dependencies`, and uses each of them', async () => {
  const folders = ['packages', 'src'].map((folder) => listFiles(path.join(root, folder)));
  const files = (await Promise.all(folders)).flat().filter((file) => /(?<!\.test)\.ts$/.test(file));
  const sources = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const imported = new Set(sources.flatMap(listImports));
  const declared = Object.keys(manifest.dependencies);
  assert.ok(imported.size > 20);
  assert.deepEqual(
    [...imported].filter((name) => !declared.includes(name)),
    [],
    'imported, but not declared',
  );
  // Fonts and the formatter of the log are named in other ways than by an import.
  const text = sources.join('\n');
  const isUsed = (name: string) => text.includes(`'${name}'`) || text.includes(`'${name}/`);
  assert.deepEqual(
    declared.filter((name) => !isUsed(name)),
    [],
    'declared, but not used',
  );
});

test('dependencies: the built pages import no package', async () => {
  const server = path.join(root, 'web', 'build', 'server');
  const files = (await listFiles(server)).filter((file) => file.endsWith('.js'));
  const imported = new Set<string>();
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const isBuilt = context.parentURL?.startsWith(pathToFileURL(server).href);
      if (isBuilt && isPackage(specifier)) imported.add(specifier);
      return next(specifier, context);
    },
  });
  for (const file of files) await import(pathToFileURL(file).href);
  hooks.deregister();
  assert.ok(files.length > 50);
  assert.deepEqual([...imported], []);
  assert.ok(!('dependencies' in web), 'the packages of web/ are build tools');
});

test('dependencies: bin/with-node, bin/potluck.js and package.json name the same version of Node.js', async () => {
  const versions = Object.entries(manifest.optionalDependencies).filter(([name]) => name.startsWith('node-'));
  const [version = ''] = new Set(versions.map(([, each]) => each));
  assert.deepEqual(
    versions.map(([, each]) => each),
    Array(4).fill(version),
  );
  const launcher = await readFile(path.join(root, 'bin', 'with-node'), 'utf8');
  assert.equal(/^required=(\d+)$/m.exec(launcher)?.[1], version.split('.')[0]);
});

test('dependencies: each npm script that runs a program finds Node.js by bin/with-node, as bin/potluck does', async () => {
  for (const script of Object.values(manifest.scripts))
    assert.match(script, /^(exec )?bin\/(with-node|potluck) /);
  const launcher = await readFile(path.join(root, 'bin', 'potluck'), 'utf8');
  assert.match(launcher, /^exec "\$bin\/with-node" node /m);
});
