/**
 * Sweeps over many cases, which take most of the time of all tests. `npm test` checks a sample of them in each run, always the
 * same. `npm run test:slow` checks all cases, in the same test files (test/slow/all-cases-1.test.ts, -2), and so do the deliberate
 * faults.
 */
import test from 'node:test';

/** Whether this process checks all cases. */
export const areAllCases = process.env.ALL_CASES === 'true';

/** How often, or with how many, a test does something: `all`, or in `npm test` a tenth, rounded up. */
export const often = (all: number, sample = Math.ceil(all / 10)): number => (areAllCases ? all : sample);

/** Each case, or in `npm test` each tenth one, from the first on. @param each in place of a tenth */
export const sampleOf = <T>(cases: readonly T[], each = 10): T[] =>
  cases.filter((_, i) => areAllCases || i % each === 0);

/** The code points from `first` on; in `npm test` those of most scripts, and each 31st other. */
export function* codePoints(first = 0): Generator<number> {
  for (let code = first; code <= 0x10ffff; code += areAllCases || code < 0x3100 ? 1 : 31) yield code;
}

/** A test that takes seconds and that has no cases to leave out: it does not run in `npm test`. */
export const slowTest: typeof test = areAllCases
  ? test
  : (Object.assign(async () => {}, test) as typeof test);
