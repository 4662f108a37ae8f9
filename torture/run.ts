/**
 * `npm run torture [-- NAME …] [--quick] [--only TEXT]`: runs all or the named programs in sequence and prints a line
 * for each. With `--only`, **fairness** attacks only the routes, and **alerts** causes only the alerts, whose names contain the
 * text. A program that needs a package or privilege that the machine lacks is skipped, and its line names it. The exit code is 1
 * if a program fails.
 */
import { parseArgs } from 'node:util';
import { buildWeb } from '../web/build.ts';
import { programs } from './all.ts';
import type { Outcome } from './program.ts';
import { runProgram } from './run-program.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
const unknown = positionals.filter((name) => !programs.some((program) => program.name === name));
if (unknown.length > 0) {
  console.error(
    `Unknown program: ${unknown.join(', ')}. The programs are ${programs.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}
const chosen = programs.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const width = Math.max(...chosen.map(({ name }) => name.length));
// The first server would build the pages otherwise, which takes longer than programs wait for a start.
await buildWeb();
let failed = 0;
for (const program of chosen) {
  const since = performance.now();
  const show = (text: string) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${program.name}: ${text}`);
  };
  show('…');
  const { result, ok, isSkipped } = await runProgram(program, {
    quick: values.quick,
    only: values.only,
    progress: show,
  }).catch((error: Error): Outcome => ({ result: error.stack ?? error.message, ok: false }));
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const seconds = Math.round((performance.now() - since) / 1000);
  const verdict = isSkipped ? 'skipped' : ok ? 'passes ' : 'FAILS  ';
  console.log(`${verdict}  ${program.name.padEnd(width)}  ${result}  (${seconds} s)`);
  if (!ok) failed++;
}
process.exitCode = failed > 0 ? 1 : 0;
