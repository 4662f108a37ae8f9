/** Compares the torture programs with docs/reliability.md. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { programs } from '../../torture/all.ts';

test('torture: docs/reliability.md has a row with the command for each program, and no other rows', async () => {
  const page = await readFile(path.join(import.meta.dirname, '..', '..', 'docs', 'reliability.md'), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => /^\| [a-z-]+ \|/.test(line) && !line.startsWith('| name |'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  assert.deepEqual(rows.map(([, name]) => name).sort(), programs.map(({ name }) => name).sort());
  for (const [, name = '', does = '', result = '', command] of rows) {
    const program = programs.find((each) => each.name === name);
    assert.equal(program?.expectation, does.replaceAll('`', ''), `${name}: the expected result differs`);
    assert.ok(result.length > 0, `${name} has no result`);
    assert.equal(command, `\`npm run torture -- ${name}\``);
  }
});
