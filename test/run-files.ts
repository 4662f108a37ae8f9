/**
 * Runs the test files of a suite one after the other in the process of the suite. Loading the app, and
 * compiling the code and the schemas of its first requests, take more CPU time than the tests of most files.
 */
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'node:test';

const tests = import.meta.dirname;

/**
 * The apps of a file are closed before the next file is loaded.
 * @param patterns of files, relative to this directory and without `.test.ts`
 */
export async function runFiles(...patterns: string[]): Promise<void> {
  const files = patterns.flatMap((pattern) => globSync(`${pattern}.test.ts`, { cwd: tests }).sort());
  // Some tests wait for a timer that does not keep the process running.
  const timer = setInterval(() => {}, 60_000);
  for (const file of files) await describe(file, () => import(path.join(tests, file)));
  clearInterval(timer);
}
