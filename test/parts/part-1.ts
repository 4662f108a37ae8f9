import { runPart } from '../support/run-suite.ts';

await runPart(0, 4);
