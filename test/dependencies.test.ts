/** What a production installation needs: the dependencies of package.json, and no other package. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { listFiles } from '../client/build.ts';
import manifest from '../package.json' with { type: 'json' };
import web from '../web/package.json' with { type: 'json' };

const root = path.join(import.meta.dirname, '..');

/** The contents of the files of a folder, without tests. */
async function readSources(folder: string, extension: string): Promise<string[]> {
  const files = await listFiles(path.join(root, folder));
  const sources = files.filter((file) => file.endsWith(extension) && !file.endsWith('.test.ts'));
  return Promise.all(sources.map((file) => readFile(file, 'utf8')));
}

/** The packages that a file imports, without the modules of Node.js. */
function listImports(source: string): string[] {
  // Comments may name types by imports.
  const code = source.replace(/^\s*\*.*$/gm, '');
  const statements = code.matchAll(
    /^(?:import|export|\}) ?(?:[^'"\n]* from )?['"]([^'"\n]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm,
  );
  const names = Array.from(statements, ([, statement, expression = '']) => statement ?? expression);
  const packages = names.map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  return packages.filter((name) => !/^(\.|#|node:|$)/.test(name) && !builtinModules.includes(name));
}

test('dependencies: src/ imports only packages of `dependencies`, and uses each of them', async () => {
  const sources = await readSources('src', '.ts');
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
  const sources = await readSources('web/build/server', '.js');
  assert.ok(sources.length > 50);
  assert.deepEqual([...new Set(sources.flatMap(listImports))], []);
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

test('dependencies: each npm script that runs a program finds Node.js by bin/with-node', () => {
  for (const script of Object.values(manifest.scripts))
    assert.match(script, /^(\w+=\S+ )*(exec )?bin\/with-node /);
});
