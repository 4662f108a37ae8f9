import { runPart } from '../support/run-suite.ts';

await runPart(1, 4);
