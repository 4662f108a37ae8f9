/** Account export: sessions and codes. */
import { Type } from 'typebox';
import { sql } from '../../db/sql.ts';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { oneOf, timestamp } from '../../http/schemas.ts';
import { numberScope } from './code-hashes.ts';

const ExportSession = exportRow('ExportSession', {
  id: exportColumns.id,
  userAgent: Type.String(),
  createdAt: timestamp(),
  refreshedAt: timestamp(),
  accessExpiresAt: timestamp(),
  refreshExpiresAt: timestamp(),
  endsAt: timestamp(),
});

const ExportCode = exportRow('ExportCode', {
  purpose: oneOf(['sign_in', 'delete_account']),
  sentAt: timestamp(),
  expiresAt: timestamp(),
  isUsed: Type.Boolean(),
  tries: Type.Array(timestamp(), { description: 'When wrong codes were tried.' }),
});

const ExportCodesSent = exportRow('ExportCodesSent', { day: exportColumns.day, sent: exportColumns.count });

export const authExportSections: ExportSection[] = [
  {
    name: 'sessions',
    row: ExportSession,
    description: 'The devices that are signed in. The server stores no tokens.',
    tables: ['sessions'],
    rows: ({ id }) => sql`
      select id, user_agent, created_at, refreshed_at, access_expires_at, refresh_expires_at, ends_at
      from sessions where user_id = ${id} order by id`,
  },
  {
    name: 'codes',
    row: ExportCode,
    description: 'When codes were sent to the number, and when wrong codes were tried.',
    tables: ['codes'],
    rows: ({ phoneHash }) => sql`
      select purpose, sent_at, expires_at, code_hash is null as is_used, tries
      from codes where phone_hash = ${phoneHash} order by purpose`,
  },
  {
    name: 'codesSent',
    row: ExportCodesSent,
    description: 'The number of messages with codes that were sent to the number, by day.',
    tables: ['code_sends'],
    rows: ({ phoneHash }) => sql`
      select day::text as day, sent from code_sends
      where scope = ${numberScope(phoneHash)} order by day`,
  },
];
