/** Account export: the imports that the person reviews. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../../http/schemas.ts';
import { entryStates } from '../compare-entries.ts';
import { importStatuses } from './schemas.ts';

const { id } = exportColumns;
/** An object as it is stored. */
const anyFields = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: true,
  examples: [{ new: 12 }],
});

export const importExportSections: ExportSection[] = [
  {
    name: 'importRuns',
    row: exportRow('ExportImportRun', {
      id,
      status: oneOf(importStatuses),
      options: anyFields,
      counts: anyFields,
      createdAt: timestamp(),
    }),
    description: 'The imports of calendars of the last days.',
    tables: ['import_runs'],
    rows: (subject) => sql`
      select id, status, options, counts, created_at from import_runs
      where user_id = ${subject.id} order by created_at, id`,
  },
  {
    name: 'importEntries',
    row: exportRow('ExportImportEntry', {
      importId: id,
      n: Type.Integer(),
      state: oneOf(entryStates),
      event: nullable(anyFields),
      eventId: nullable(id),
    }),
    description: 'The entries of these imports.',
    tables: ['import_entries'],
    rows: (subject) => sql`
      select import_id, n, state, details -> 'event' as event, event_id from import_entries
      where user_id = ${subject.id} order by import_id, n`,
  },
];
