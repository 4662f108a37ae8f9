/**
 * Runs the test files of a suite one after the other in the process of the suite. Loading the app, and
 * compiling the code and the schemas of its first requests, take more CPU time than the tests of most files.
 */
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe } from 'node:test';

/**
 * The apps of a file are closed before the next file is loaded.
 * @param folder whose test files run, with those of its subfolders
 */
export async function runSuite(folder: string): Promise<void> {
  // Some tests wait for a timer that does not keep the process running.
  const timer = setInterval(() => {}, 60_000);
  for (const file of globSync('**/*.test.ts', { cwd: folder }).sort())
    await describe(file, () => import(path.join(folder, file)));
  clearInterval(timer);
}
