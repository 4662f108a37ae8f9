/** Account export: the tables of the layers below the modules. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { selectOwnAudit } from '../../../audit/audit.ts';
import { type ExportSection, exportColumns, exportRow } from '../../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../../http/schemas.ts';

const network = nullable(Type.String({ examples: ['203.0.113.0/24'] }), {
  description: 'The network of the address, shortened; null if it is not known.',
});
const entry = { at: timestamp(), what: Type.String({ examples: ['signed_in'] }), address: network };

export const accountExportSections: ExportSection[] = [
  {
    name: 'audit',
    description:
      'What happened to the account and its sessions. `address` is the network of the request, and null for the action ' +
      'of an admin or a command. The reason of a suspension is left out.',
    row: exportRow('ExportAuditEntry', { ...entry, detail: Type.String() }),
    tables: ['audit'],
    rows: ({ secretKey, id, contacts }) => selectOwnAudit(secretKey, id, contacts),
  },
  {
    name: 'adminActions',
    // Without `detail`, which can name other people.
    row: exportRow('ExportAdminAction', entry),
    description: 'What the person did as an admin.',
    tables: ['audit'],
    rows: ({ id }) => sql`select at, what, address from audit where by_id = ${id} order by at, id`,
  },
  {
    name: 'dailyCounts',
    row: exportRow('ExportDailyCount', {
      kind: oneOf(['events', 'items', 'follows', 'guests']),
      day: exportColumns.day,
      used: exportColumns.count,
    }),
    description:
      'How many events, items and follows the person created on their latest day, for the daily quotas.',
    tables: ['daily_counts'],
    rows: ({ id }) =>
      sql`select kind, day::text as day, used from daily_counts where user_id = ${id} order by kind`,
  },
  {
    name: 'idempotencyKeys',
    row: exportRow('ExportIdempotencyKey', { createdAt: timestamp() }),
    description:
      'The times of requests whose responses the server stores for a day, encrypted with keys that only the client has.',
    tables: ['idempotency_keys'],
    rows: ({ id }) => sql`
      select created_at from idempotency_keys where user_id = ${id} order by created_at`,
  },
];
