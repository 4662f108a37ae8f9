import { runQuickPrograms } from './quick-torture.ts';

runQuickPrograms(1, 2);
