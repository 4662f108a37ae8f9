/** Runs the torture programs that take seconds with `--quick`, divided among test files that run at the same time. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { programs } from '../../torture/all.ts';
import { runProgram } from '../../torture/run-program.ts';
import { cleanUpAfterTests } from '../support/processes.ts';

/** @param part the number of the file, from 0 to `parts - 1` */
export function runQuickPrograms(part: number, parts: number): void {
  cleanUpAfterTests();
  const quick = programs.filter((program) => program.quick);
  for (const program of quick.filter((_, index) => index % parts === part)) {
    test(`torture ${program.name}: ${program.expectation}`, { timeout: 600_000 }, async (t) => {
      const { result, ok, isSkipped } = await runProgram(program, { quick: true, progress: () => {} });
      if (isSkipped) return t.skip(result);
      assert.ok(ok, result);
    });
  }
}
