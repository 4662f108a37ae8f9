/** Account export: reports by the person. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../../http/schemas.ts';
import { reasons, subjectTypes } from './schemas.ts';

export const reportExportSections: ExportSection[] = [
  {
    name: 'reports',
    row: exportRow('ExportReport', {
      id: exportColumns.id,
      subjectType: oneOf(subjectTypes),
      subjectId: Type.String(),
      reason: oneOf(reasons),
      text: Type.String(),
      status: oneOf(['open', 'resolved']),
      createdAt: timestamp(),
      resolvedAt: nullable(timestamp()),
    }),
    description: 'The reports that the person sent.',
    tables: ['reports'],
    rows: ({ id }) => sql`
      select id, subject_type, subject_id, reason, text, status, created_at, resolved_at
      from reports where reporter_id = ${id} order by id`,
  },
];
