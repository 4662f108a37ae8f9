/** Collects what the modules contribute to account deletion and export. */
import { orderHooks } from '../modules/account/delete-account.ts';
import { orderSections } from '../modules/account/export-sections.ts';
import type { AccountHooks } from '../modules/account/services.ts';
import { attendanceDeletionHooks } from '../modules/attendance/delete-account-data.ts';
import { attendanceExportSections } from '../modules/attendance/export-sections.ts';
import { calendarExportSections } from '../modules/calendars/export-sections.ts';
import { eventDeletionHooks } from '../modules/events/delete-account-data.ts';
import { eventExportSections } from '../modules/events/export-sections.ts';
import { itemDeletionHooks } from '../modules/items/delete-account-data.ts';
import { itemExportSections } from '../modules/items/export-sections.ts';
import { messageDeletionHooks } from '../modules/messages/delete-account-data.ts';
import { messageExportSections } from '../modules/messages/export-sections.ts';
import { reportDeletionHooks } from '../modules/reports/delete-account-data.ts';
import { reportExportSections } from '../modules/reports/export-sections.ts';
import { uploadDeletionHooks } from '../modules/uploads/delete-account-data.ts';
import { uploadExportSections } from '../modules/uploads/export-sections.ts';
import { modules } from './modules.ts';

export const accountHooks: AccountHooks = {
  deletionHooks: orderHooks([
    ...modules.flatMap(({ deletionHooks = [] }) => deletionHooks),
    ...eventDeletionHooks,
    ...attendanceDeletionHooks,
    ...itemDeletionHooks,
    ...messageDeletionHooks,
    ...reportDeletionHooks,
    ...uploadDeletionHooks,
  ]),
  exportSections: orderSections([
    ...modules.flatMap(({ exportSections = [] }) => exportSections),
    ...eventExportSections,
    ...attendanceExportSections,
    ...itemExportSections,
    ...calendarExportSections,
    ...messageExportSections,
    ...reportExportSections,
    ...uploadExportSections,
  ]),
};
