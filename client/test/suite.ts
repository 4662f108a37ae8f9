import { runSuite } from '../../test/support/run-suite.ts';

await runSuite(import.meta.dirname);
