/**
 * Checks that tests notice deliberate faults: `npm run mutations [-- --jobs N] [WORD…]`. Runs the test file of each
 * fault with the fault, and fails if one survives, or if its text is not in the source exactly once. Every test file
 * must pass without a fault first. A word selects the faults whose file or test contains it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeTestRun, openTestRun } from '../support/test-run.ts';
import { equivalents, faults } from './all.ts';
import { type Fault, findMistake } from './fault.ts';
import { type Outcome, runTestFile } from './run-test-file.ts';

const { values, positionals } = parseArgs({
  options: { jobs: { type: 'string', default: `${os.availableParallelism()}` } },
  allowPositionals: true,
});
const isSelected = ({ file, test }: Fault) =>
  positionals.length === 0 || positionals.some((word) => file.includes(word) || test.includes(word));

const started = performance.now();
const selected = faults.filter(isSelected);
const tests = [...new Set(selected.map(({ test }) => test))];
const mistakes = [...faults, ...equivalents].map(findMistake).filter((mistake) => mistake !== null);
const complaints = mistakes.length > 0 ? mistakes : await runAll();
for (const complaint of complaints) console.log(`  ${complaint}`);
const seconds = ((performance.now() - started) / 1000).toFixed(0);
console.log(
  complaints.length === 0
    ? `${selected.length} of ${selected.length} faults noticed by ${tests.length} test files, in ${seconds} s; ${equivalents.length} cannot be noticed`
    : `${complaints.length} complaints about ${selected.length} faults, in ${seconds} s`,
);
if (selected.length === 0 || complaints.length > 0) process.exitCode = 1;

/** Starts the database that all test files share, and runs them. @returns what is wrong */
async function runAll(): Promise<string[]> {
  await openTestRun({ needsPages: true });
  // Test files are killed at their first failure, and leave their temporary files.
  const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-mutations-'));
  process.env.TMPDIR = directory;
  const close = async () => {
    await closeTestRun();
    await rm(directory, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void close().finally(() => process.exit(1)));
  try {
    const broken = await inParallel(tests, checkTest);
    return broken.length > 0 ? broken : await inParallel(selected, checkFault);
  } finally {
    await close();
  }
}

async function checkTest(test: string): Promise<string | null> {
  const before = performance.now();
  const outcome = await runTestFile(test, null);
  console.log(`${outcome.kind.padEnd(8)} ${msSince(before)}  ${test} without a fault`);
  return outcome.kind === 'passed' ? null : `${test} fails without a fault: ${textOf(outcome)}`;
}

async function checkFault(fault: Fault): Promise<string | null> {
  const before = performance.now();
  const outcome = await runTestFile(fault.test, fault);
  const isNoticed = outcome.kind === 'failed' || outcome.kind === 'timeout';
  console.log(
    `${isNoticed ? 'noticed ' : 'SURVIVED'} ${msSince(before)}  ${fault.file}  ${fault.text}: ${textOf(outcome)}`,
  );
  return isNoticed
    ? null
    : `${fault.file}: ${fault.text} → ${fault.fault}: ${fault.test}: ${textOf(outcome)}`;
}

function msSince(before: number): string {
  return `${(performance.now() - before).toFixed(0).padStart(6)} ms`;
}

function textOf(outcome: Outcome): string {
  if (outcome.kind === 'failed') return outcome.test;
  return outcome.kind === 'ended' ? `no test ran: ${outcome.output.slice(-1_000)}` : outcome.kind;
}

/** Runs `check` for each element, `--jobs` at a time. @returns the complaints */
async function inParallel<T>(
  elements: T[],
  check: (element: T) => Promise<string | null>,
): Promise<string[]> {
  const complaints: (string | null)[] = [];
  const queue = elements.values();
  const work = async () => {
    for (const element of queue) complaints.push(await check(element));
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  return complaints.filter((complaint) => complaint !== null);
}
