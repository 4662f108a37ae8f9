/**
 * Runs the test files of a folder one after the other in one process. Loading the app, and compiling the code and the
 * schemas of its first requests, take more CPU time than the tests of most files.
 */
import { appendFileSync, existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'node:test';

const tests = path.join(import.meta.dirname, '..');
const root = path.join(tests, '..');

/** The test files of a folder and of its subfolders, but for those that are slow. */
const filesIn = (folder: string): string[] =>
  globSync('**/*.test.ts', { cwd: folder, exclude: ['slow/**'] })
    .sort()
    .map((file) => path.join(folder, file));

/** Runs the test files of a folder, with those of its subfolders. */
export const runSuite = (folder: string): Promise<void> => runFiles(filesIn(folder));

/** The test files of which `npm test` checks a sample (all-cases.ts). */
const listSampled = (): string[] =>
  [tests, path.join(root, 'packages'), path.join(root, 'src')]
    .flatMap(filesIn)
    .filter((file) => readFileSync(file, 'utf8').includes('support/all-cases.ts'));

/** Runs all cases of a part of these files, but for folders with a process of their own in test/slow/. @param part from 0 to `parts - 1` */
export function runAllCases(part: number, parts: number): Promise<void> {
  process.env.ALL_CASES = 'true';
  const hasOwn = (file: string) =>
    existsSync(path.join(tests, 'slow', `${path.relative(tests, path.dirname(file))}.test.ts`));
  const files = listSampled().filter((file) => !hasOwn(file));
  return runFiles(files.filter((_, i) => i % parts === part));
}

/** The apps of a file are closed before the next file is loaded. */
async function runFiles(files: string[]): Promise<void> {
  // Some tests wait for a timer that does not keep the process running.
  const timer = setInterval(() => {}, 60_000);
  for (const file of files) {
    const name = path.relative(root, file);
    const end = measure(name);
    await describe(name, () => import(file));
    end();
  }
  clearInterval(timer);
}

/** Appends the CPU time and the time of a test file, in ms, to the file that `TEST_TIMES` names. */
function measure(name: string): () => void {
  const { TEST_TIMES: times } = process.env;
  if (times === undefined) return () => {};
  const [cpu, started] = [process.cpuUsage(), performance.now()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    const ms = [(user + system) / 1000, performance.now() - started].map((each) => each.toFixed(0));
    appendFileSync(times, `${ms.join('\t')}\t${name}\n`);
  };
}
