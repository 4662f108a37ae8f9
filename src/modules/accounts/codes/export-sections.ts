/** Account export: codes, tries and known networks. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../../http/export-section.ts';
import { oneOf, timestamp } from '../../../http/schemas.ts';
import { codePurposes } from '../../../lib/contact.ts';
import { contactScope } from './hashes.ts';

const trusts = ['unknown', 'network', 'device'] as const;

export const codeExportSections: ExportSection[] = [
  {
    name: 'codes',
    row: exportRow('ExportCode', {
      purpose: oneOf(codePurposes),
      sentAt: timestamp(),
      expiresAt: timestamp(),
      isUsed: Type.Boolean(),
      requestedBy: oneOf(trusts, {
        description:
          'A client network that was unknown, a client network of an earlier sign-in, or a known device.',
      }),
    }),
    description:
      'When codes were last sent to the number and the address, for each device or network that requested one.',
    tables: ['codes'],
    rows: ({ contactHashes }) => sql`
      select purpose, sent_at, expires_at, code_hash is null as is_used, trust as requested_by
      from codes where contact_hash = any(${contactHashes}::bytea[]) order by purpose, requester`,
  },
  {
    name: 'codeTries',
    row: exportRow('ExportCodeTry', {
      purpose: oneOf(codePurposes),
      at: timestamp(),
      budget: oneOf(trusts, { description: 'Whose daily limit the try counts against.' }),
    }),
    description: 'When wrong codes were tried in the last 24 hours.',
    tables: ['code_tries'],
    rows: ({ contactHashes }) => sql`
      select purpose, at, budget from code_tries
      where contact_hash = any(${contactHashes}::bytea[]) order by at, id`,
  },
  {
    name: 'knownNetworks',
    row: exportRow('ExportKnownNetwork', { signedInAt: timestamp() }),
    description:
      'When you last signed in on each of up to ten networks, by which the server recognizes you. It stores no address of them.',
    tables: ['known_networks'],
    rows: ({ contactHashes }) => sql`
      select signed_in_at from known_networks
      where contact_hash = any(${contactHashes}::bytea[]) order by signed_in_at, network`,
  },
  {
    name: 'codesSent',
    row: exportRow('ExportCodesSent', {
      day: exportColumns.day,
      sent: exportColumns.count,
      sentToStrangers: Type.Integer({
        minimum: 0,
        description: 'Those of them that unknown networks requested and whose codes were not used.',
        examples: [2],
      }),
    }),
    description: 'The number of messages with codes that were sent to the number and the address, by day.',
    tables: ['code_sends'],
    rows: ({ contactHashes }) => sql`
      select n.day::text as day, n.sent, coalesce(s.sent, 0) as sent_to_strangers
      from code_sends n
      left join code_sends s on s.day = n.day and s.scope = replace(n.scope, 'contact:', 'strangers:')
      where n.scope = any(${contactHashes.map(contactScope)}) order by n.day, n.scope`,
  },
];
