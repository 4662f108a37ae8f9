import { runSuite } from '../support/run-suite.ts';

await runSuite(import.meta.dirname);
