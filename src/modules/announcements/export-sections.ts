/** Account export: the announcements of the person. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../http/schemas.ts';
import { announcementStatuses } from '../../outbox/announcements.ts';
import { audiences } from '../../outbox/audiences.ts';
import { subjectColumns, subjectFields } from '../events/export-subject.ts';

const { id } = exportColumns;

export const announcementExportSections: ExportSection[] = [
  {
    name: 'announcements',
    row: exportRow('ExportAnnouncement', {
      id,
      ...subjectFields('Of what was written to all dates of a series.'),
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
      select id, ${subjectColumns(sql`a`)}, text, audience, status, send_at, sent_at, edited_at, created_at, recipients
      from announcements a where author_id = ${subject.id} and status <> 'deleted' order by created_at, id`,
  },
];
