/** Account export: comments. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { nullable, timestamp } from '../../http/schemas.ts';

const { count, day, id } = exportColumns;
const commentId = Type.String({
  examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.0197a2f4-7d2f-7b45-8a62-3f1d9b7ef0c1'],
});

export const commentExportSections: ExportSection[] = [
  {
    name: 'comments',
    row: exportRow('ExportComment', {
      id: commentId,
      eventId: id,
      text: Type.String(),
      replyTo: nullable(commentId),
      createdAt: timestamp(),
    }),
    description: 'The comments that the person wrote.',
    tables: ['comments'],
    rows: (subject) => sql`
      select event_id || '.' || id as id, event_id, text, event_id || '.' || reply_to as reply_to, created_at
      from comments where user_id = ${subject.id} order by event_id, id`,
  },
  {
    name: 'commentsWritten',
    row: exportRow('ExportCommentsWritten', { since: timestamp(), written: count, day, writtenOnDay: count }),
    description:
      'The number of comments that the person wrote since `since`, which is at most a minute before the latest comment, and on the ' +
      'latest day (UTC) with a comment.',
    tables: ['comment_limits'],
    rows: (subject) => sql`
      select since, sent as written, day::text as day, sent_on_day as written_on_day
      from comment_limits where user_id = ${subject.id}`,
  },
];
