import { runQuickPrograms } from './quick-torture.ts';

runQuickPrograms(0, 2);
