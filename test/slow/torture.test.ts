/** Runs each quick torture program in the size of `npm run torture -- NAME --quick`. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { programs } from '../../torture/all.ts';
import { runProgram } from '../../torture/run-program.ts';
import { cleanUpAfterTests } from '../processes.ts';

cleanUpAfterTests();

for (const program of programs.filter(({ quick }) => quick)) {
  test(`torture ${program.name}: ${program.promise}`, { timeout: 120_000 }, async () => {
    const { figure, ok } = await runProgram(program, { quick: true, progress: () => {} });
    assert.ok(ok, figure);
  });
}

test('torture: docs/reliability.md has a row with the command for each program, and no other rows', async () => {
  const page = await readFile(path.join(import.meta.dirname, '..', '..', 'docs', 'reliability.md'), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => /^\| [a-z-]+ \|/.test(line) && !line.startsWith('| name |'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  assert.deepEqual(rows.map(([, name]) => name).sort(), programs.map(({ name }) => name).sort());
  for (const [, name = '', promise = '', figure = '', command] of rows) {
    assert.ok(promise.length > 0 && figure.length > 0, `${name} has an empty cell`);
    assert.equal(command, `\`npm run torture -- ${name}\``);
  }
});
