/** Account export: sessions. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../../http/export-section.ts';
import { timestamp } from '../../../http/schemas.ts';

export const sessionExportSections: ExportSection[] = [
  {
    name: 'sessions',
    row: exportRow('ExportSession', {
      id: exportColumns.id,
      userAgent: Type.String(),
      createdAt: timestamp(),
      refreshedAt: timestamp(),
      accessExpiresAt: timestamp(),
      refreshExpiresAt: timestamp(),
      endsAt: timestamp(),
    }),
    description:
      'The devices that are signed in. The server stores no tokens. Of sessions that a suspension ended, it has hashes of the tokens.',
    tables: ['sessions', 'suspended_tokens'],
    rows: ({ id }) => sql`
      select id, user_agent, created_at, refreshed_at, access_expires_at, refresh_expires_at, ends_at
      from sessions where user_id = ${id} order by id`,
  },
];
