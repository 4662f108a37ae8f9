/** Appends a line for each failed test to the file `FAILURES`: its file, a tab and its name. */
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

const root = path.join(import.meta.dirname, '..', '..');

export default class FailuresReporter implements Reporter {
  onTestEnd({ title, location, expectedStatus }: TestCase, { status }: TestResult): void {
    const { FAILURES: file } = process.env;
    if (!file || status === expectedStatus || status === 'skipped') return;
    appendFileSync(file, `${path.relative(root, location.file)}\t${title}\n`);
  }

  printsToStdio(): boolean {
    return false;
  }
}
