/** A deliberate fault: one text of the source code and its replacement. */
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';

export type Fault = {
  /** The source file, relative to the root of the project. */
  file: string;
  /** A text that the file has exactly once. */
  text: string;
  /** The text that takes its place. */
  fault: string;
  /** The test file that must fail, without `.test.ts`: its path from the root, or only its name if it is in a suite of `test/`. */
  test: string;
  /** What the fault would do to people. */
  why: string;
};

/** A fault that no test can notice. */
export type Equivalent = Pick<Fault, 'file' | 'text' | 'fault'> & { reason: string };

export const root = path.join(import.meta.dirname, '..', '..');

/** A line of a table: `text`, `fault`, `test` and `why` of a fault. */
type Line = [text: string, fault: string, test: string, why: string];

export const faultsOf = (file: string, lines: Line[]): Fault[] =>
  lines.map(([text, fault, test, why]) => ({ file, text, fault, test, why }));

/** @throws Error if the suites have no test file of this name, or several */
export function pathOfTest(test: string): string {
  const pattern = `${test.includes('/') ? '' : 'test/*/'}${test}.test.ts`;
  const [file, ...others] = globSync(pattern, { cwd: root, exclude: ['test/slow/**'] });
  if (file === undefined || others.length > 0) throw new Error(`not one test file: ${pattern}`);
  return path.join(root, file);
}

/** The source code with the fault. @throws Error unless the code has the text of the fault exactly once */
export function withFault(source: string, { text, fault }: Pick<Fault, 'text' | 'fault'>): string {
  const count = source.split(text).length - 1;
  if (count !== 1) throw new Error(`the text occurs ${count} times, not once: ${text}`);
  return source.replace(text, () => fault);
}

/** Why a fault cannot be applied: its text is not in the source exactly once, or the code has no valid syntax; else null. */
export function findMistake(fault: Pick<Fault, 'file' | 'text' | 'fault'>): string | null {
  try {
    stripTypeScriptTypes(withFault(readFileSync(path.join(root, fault.file), 'utf8'), fault));
    return null;
  } catch (error) {
    return `${fault.file}: ${(error as Error).message}`;
  }
}
