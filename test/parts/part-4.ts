import { runPart } from '../support/run-suite.ts';

await runPart(3, 4);
