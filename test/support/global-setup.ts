/** Prepares the run, unless it has unit tests alone, which stand beside the code and need no server and no pages. */
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');
const isUnitTest = (file: string) => /^(?:packages|src)\//.test(path.relative(root, path.resolve(file)));
const files = process.argv.slice(2);
// Loading what prepares a run takes seconds.
const run = files.length > 0 && files.every(isUnitTest) ? null : await import('./test-run.ts');

export const globalSetup = async (): Promise<void> => run?.openTestRun();
export const globalTeardown = async (): Promise<void> => run?.closeTestRun();
