import path from 'node:path';
import { runSuite } from '../support/run-suite.ts';

await runSuite(path.join(import.meta.dirname, '..', '..', 'src'));
