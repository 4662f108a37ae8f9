import { runPart } from '../support/run-suite.ts';

await runPart(2, 4);
