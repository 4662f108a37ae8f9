/**
 * Runs the test files of several folders one after the other in one process. Loading the app, and compiling the code and the
 * schemas of its first requests, take more CPU time than the tests of most files.
 */
import { appendFileSync, existsSync, globSync, readFileSync, statSync } from 'node:fs';
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

/**
 * Runs the test files of a part of the suites, which `npm test` runs at the same time as the other parts. The parts have about
 * as many bytes of tests.
 * @param part from 0 to `parts - 1`
 */
export function runPart(part: number, parts: number): Promise<void> {
  const suites = globSync('{test/*/suite.ts,client/test/suite.ts}', { cwd: root });
  const folders = suites.map((suite) => {
    const files = filesIn(path.join(root, path.dirname(suite)));
    return { files, bytes: files.reduce((sum, file) => sum + statSync(file).size, 0) };
  });
  const shares = Array.from({ length: parts }, () => ({ files: [] as string[], bytes: 0 }));
  for (const { files, bytes } of folders.sort((a, b) => b.bytes - a.bytes)) {
    const smallest = shares.reduce((least, share) => (share.bytes < least.bytes ? share : least));
    smallest.files.push(...files);
    smallest.bytes += bytes;
  }
  return runFiles(shares[part]?.files ?? []);
}

/** The test files of which `npm test` checks a sample (all-cases.ts). */
export const listSampled = (): string[] =>
  filesIn(tests).filter((file) => readFileSync(file, 'utf8').includes('support/all-cases.ts'));

/** Runs all cases of a part of these files, but for those that have a process alone. @param part from 0 to `parts - 1` */
export function runAllCases(part: number, parts: number): Promise<void> {
  process.env.ALL_CASES = 'true';
  const files = listSampled().filter((file) => !existsSync(path.join(path.dirname(file), 'alone.ts')));
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
