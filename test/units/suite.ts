import path from 'node:path';
import { runSuite } from '../support/run-suite.ts';

for (const folder of ['packages', 'src']) await runSuite(path.join(import.meta.dirname, '..', '..', folder));
