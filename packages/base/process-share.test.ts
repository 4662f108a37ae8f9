import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import test from 'node:test';
import { processesVariable } from './process-share.ts';

/** The shares of some limits in a process that is one of so many; undefined: the only one. */
function sharesOf(processes: string | undefined): number[] {
  const module = JSON.stringify(path.join(import.meta.dirname, 'process-share.ts'));
  const program = `const { shareOf } = await import(${module}); console.log(JSON.stringify([1, 20, 5_000].map(shareOf)));`;
  const env = { ...process.env, [processesVariable]: processes };
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' }),
  );
}

test('share of a process in the limits of its server: the whole if it is alone, otherwise an equal part, rounded up', () => {
  assert.deepEqual(sharesOf(undefined), [1, 20, 5_000]);
  assert.deepEqual(sharesOf('2'), [1, 10, 2_500]);
  assert.deepEqual(sharesOf('3'), [1, 7, 1_667]);
});
