import { defineModule } from '../../../http/define-module.ts';
import type { BaseServices } from '../../../http/services.ts';
import { getReport, listReports, resolveReport } from './admin-reports.ts';
import { createReport } from './create-report.ts';
import { reportDeletionHooks } from './delete-account-data.ts';
import { reportExportSections } from './export-sections.ts';

/** Reports of events, items, messages and people to the admins. */
export const reports = defineModule<BaseServices>({
  tag: 'Reports',
  endpoints: { report: createReport, listReports, getReport, resolveReport },
  deletionHooks: reportDeletionHooks,
  exportSections: reportExportSections,
});
