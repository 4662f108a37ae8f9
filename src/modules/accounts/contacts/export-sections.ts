/** Account export: unconfirmed contacts. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportRow } from '../../../http/export-section.ts';
import { oneOf, timestamp } from '../../../http/schemas.ts';
import { messageKinds } from '../../../lib/contact.ts';

export const contactExportSections: ExportSection[] = [
  {
    name: 'contactChanges',
    row: exportRow('ExportContactChange', {
      kind: oneOf(messageKinds),
      value: Type.String({ examples: ['mara@example.org'] }),
      requestedAt: timestamp(),
    }),
    description: 'The number and the address that you have not confirmed yet.',
    tables: ['contact_changes'],
    rows: ({ id }) => sql`
      select kind, value, requested_at from contact_changes where user_id = ${id} order by kind`,
  },
];
