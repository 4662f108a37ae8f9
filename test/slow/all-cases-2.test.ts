/** Checks all cases of the test files of which `npm test` checks a sample. */
import { runAllCases } from '../support/run-suite.ts';

await runAllCases(1, 2);
