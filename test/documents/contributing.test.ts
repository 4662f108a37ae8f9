/** The recipes of CONTRIBUTING.md: how many files a change touches, where these are, and the code that it shows. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { parseAst } from 'vite';

const root = path.join(import.meta.dirname, '..', '..');
const contributing = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
const numbers = ['four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

const recipes = contributing
  .split(/^## /m)
  .filter((section) => section.includes('It touches '))
  .map((section) => {
    const [title = ''] = section.split('\n', 1);
    const files = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);
    return { title, count: /It touches (\w+) files/.exec(section)?.[1] ?? '', files };
  });

test('contributing: each recipe lists as many files as it says', () => {
  assert.ok(recipes.length >= 5);
  for (const { title, count, files } of recipes)
    assert.equal(files.length, numbers.indexOf(count) + 4, `"${title}" says ${count}: ${files.join(', ')}`);
});

test('contributing: each file of a recipe exists, or is new in a folder that exists', () => {
  // Files that the changes create: a migration, an endpoint, a sentence about a change, and a page.
  const isNew = /00NN|\/get-item\.ts$|^changes\/|^web\/src\/routes\/settings\/city\//;
  const missing = recipes.flatMap(({ title, files }) =>
    files
      .filter((file) => !existsSync(path.join(root, isNew.test(file) ? folderOf(file) : file)))
      .map((file) => `${title}: ${file}`),
  );
  assert.deepEqual(missing, []);
});

/** The folder of a new file; of a new page, the folder of the pages beside it. */
const folderOf = (file: string): string => path.dirname(file).replace(/\/city$/, '');

test('contributing: the code of each recipe is TypeScript: statements, or the rows of a table', () => {
  const blocks = [...contributing.matchAll(/^( *)```ts\n(.*?)```/gms)].map(([, , code = '']) => code);
  assert.ok(blocks.length >= 8, `${blocks.length}`);
  for (const block of blocks) {
    const code = block.replaceAll('…', '');
    assert.ok(isCode(code) || isCode(`const table = {\n${code}\n};`), block);
  }
});

function isCode(text: string): boolean {
  try {
    parseAst(text, { lang: 'ts' });
    return true;
  } catch {
    return false;
  }
}
