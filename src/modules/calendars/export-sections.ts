/** Account export: the secret URL of the person's calendar. */
import { sql } from '#pg';
import { type ExportSection, exportRow } from '../../http/export-section.ts';
import { timestamp } from '../../http/schemas.ts';

export const calendarExportSections: ExportSection[] = [
  {
    name: 'calendar',
    row: exportRow('ExportCalendar', { createdAt: timestamp() }),
    description: 'When the secret URL of the calendar was created. The server does not store the URL itself.',
    tables: ['calendars'],
    rows: ({ id }) => sql`select created_at from calendars where user_id = ${id}`,
  },
];
