/** Account export: items of the person's events, and the person's claims. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../http/schemas.ts';
import { kinds } from './schemas.ts';

const { id, itemId } = exportColumns;

export const itemExportSections: ExportSection[] = [
  {
    name: 'items',
    row: exportRow('ExportItem', {
      id: itemId,
      eventId: id,
      kind: oneOf(kinds),
      title: Type.String({ examples: ['Sourdough bread'] }),
      description: nullable(Type.String()),
      emoji: Type.String({ examples: ['🍞'] }),
      imageUrl: nullable(Type.String()),
      link: nullable(Type.String()),
      quantityNeeded: Type.Integer({ examples: [3] }),
      quantityClaimed: Type.Integer({ examples: [2] }),
      createdAt: timestamp(),
    }),
    description: 'The items of the events that the person organizes.',
    tables: ['items', 'item_stock'],
    rows: (subject) => sql`
      select i.event_id || '.' || i.n as id, i.event_id, i.kind, i.title, i.description, i.emoji, i.image_url, i.link,
        s.needed as quantity_needed, s.claimed as quantity_claimed, i.created_at
      from events e join items i on i.event_id = e.id join item_stock s on s.event_id = i.event_id and s.n = i.n
      where e.organizer_id = ${subject.id} order by i.event_id, i.n`,
  },
  {
    name: 'claims',
    row: exportRow('ExportClaim', {
      id,
      itemId,
      eventId: id,
      quantity: Type.Integer({ examples: [2] }),
      note: nullable(Type.String({ examples: ['Lasagne, vegan'] })),
      createdAt: timestamp(),
    }),
    description: 'What the person brings or gives.',
    tables: ['claims'],
    rows: (subject) => sql`
      select id, event_id || '.' || n as item_id, event_id, quantity, note, created_at
      from claims where user_id = ${subject.id} order by id`,
  },
];
