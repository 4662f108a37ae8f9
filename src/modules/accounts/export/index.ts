import { defineModule } from '../../../http/define-module.ts';
import type { AccountServices } from '../services.ts';
import { exportMe } from './export-me.ts';
import { accountExportSections } from './sections.ts';

/** Export of what all modules store about a person. */
export const accountExport = defineModule<AccountServices>({
  tag: 'Me',
  endpoints: { exportMe },
  exportSections: accountExportSections,
});
