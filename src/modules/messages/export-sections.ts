/** Account export: conversations and messages. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { nullable, timestamp } from '../../http/schemas.ts';

const { id, count, name, username } = exportColumns;

export const messageExportSections: ExportSection[] = [
  {
    name: 'conversations',
    row: exportRow('ExportConversation', {
      userId: id,
      name,
      username,
      unreadCount: count,
    }),
    description: 'The people with whom the person exchanged messages.',
    tables: ['conversations'],
    rows: (subject) => sql`
      with own as materialized (
        select other_id, unread_count from conversations where user_id = ${subject.id}
      )
      select u.id as user_id, u.name, u.username, c.unread_count from own c join users u on u.id = c.other_id
      order by u.id`,
  },
  {
    name: 'messages',
    row: exportRow('ExportMessage', {
      id,
      userId: id,
      isOwn: Type.Boolean({ description: 'Whether the person wrote the message.' }),
      text: Type.String(),
      createdAt: timestamp(),
      eventId: nullable(Type.String(), { description: 'The event that the message is about.' }),
    }),
    description: 'All messages of the person, sent and received; `userId` is the other person.',
    tables: ['messages'],
    rows: (subject) => sql`
      select id, other_id as user_id, is_own, text, created_at, event_id from messages
      where user_id = ${subject.id} order by other_id, id`,
  },
  {
    name: 'messagesSent',
    row: exportRow('ExportMessagesSent', {
      since: timestamp(),
      sent: count,
      day: nullable(exportColumns.day),
      sentOnDay: count,
    }),
    description:
      'The number of messages that the person sent since `since`, which is at most a minute before the latest message, ' +
      'and on the latest day (UTC) on which messages counted.',
    tables: ['message_counts'],
    rows: (subject) => sql`
      select since, sent, day::text as day, sent_on_day from message_counts where user_id = ${subject.id}`,
  },
];
