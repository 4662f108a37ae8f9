/** Account export: the announcements of the person. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../http/schemas.ts';
import { announcementStatuses } from '../../outbox/announcements.ts';
import { audiences } from '../../outbox/audiences.ts';

const { id } = exportColumns;

export const announcementExportSections: ExportSection[] = [
  {
    name: 'announcements',
    row: exportRow('ExportAnnouncement', {
      id,
      eventId: nullable(Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] })),
      seriesId: nullable(Type.String({ description: 'Of what was written to all dates of a series.' })),
      text: Type.String(),
      audience: Type.Array(oneOf(audiences)),
      status: oneOf(announcementStatuses),
      sendAt: timestamp(),
      sentAt: nullable(timestamp()),
      editedAt: nullable(timestamp()),
      createdAt: timestamp(),
      recipients: nullable(Type.Integer()),
    }),
    description: 'What the person wrote to the guests of events and series.',
    tables: ['announcements'],
    rows: (subject) => sql`
      select id, case when not is_of_series then subject_id end as event_id,
        case when is_of_series then subject_id end as series_id, text, audience, status, send_at, sent_at, edited_at, created_at, recipients
      from announcements where author_id = ${subject.id} and status <> 'deleted' order by created_at, id`,
  },
];
