/** Prepares the run, unless it has unit tests alone, which stand beside the code and need no server and no pages. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');
const pathOf = (file: string) => path.relative(root, path.resolve(file));
const isUnitTest = (file: string) => /^(?:packages|src)\//.test(pathOf(file));
/** Suites contain other files. The tests of the pages and of the client are in folders of their own, or name the pages. */
const needsPages = (file: string) =>
  /^(?:client|test\/web|test\/slow)\/|suite\.ts$|\*/.test(pathOf(file)) ||
  readFileSync(file, 'utf8').includes('pages');
const files = process.argv.slice(2);
const [onlyUnits, somePages] = [files.every(isUnitTest), files.some(needsPages)];
// Loading what prepares a run takes seconds.
const run = files.length > 0 && onlyUnits ? null : await import('./test-run.ts');

export const globalSetup = async (): Promise<void> =>
  run?.openTestRun({ needsPages: files.length === 0 || somePages });
export const globalTeardown = async (): Promise<void> => run?.closeTestRun();
