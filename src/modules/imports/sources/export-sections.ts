/** Account export: the calendars that the person follows. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../../http/export-section.ts';
import { nullable, timestamp } from '../../../http/schemas.ts';

const { id } = exportColumns;

export const sourceExportSections: ExportSection[] = [
  {
    name: 'sources',
    row: exportRow('ExportSource', {
      id,
      url: Type.String({ examples: ['https://example.org/calendar.ics'] }),
      autoPublish: Type.Boolean(),
      lastGoodAt: nullable(timestamp()),
      createdAt: timestamp(),
    }),
    description: 'The calendars that the person follows.',
    tables: ['sources'],
    rows: (subject) => sql`
      select id, url, auto_publish, last_good_at, created_at from sources where user_id = ${subject.id} order by id`,
  },
];
