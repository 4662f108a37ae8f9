/** Account export: notifications, their settings, and mails. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../http/schemas.ts';
import { mailStates } from '../../mail/mails.ts';
import { decided } from '../../outbox/decisions.ts';
import { notificationKinds, personKinds } from '../../outbox/kinds.ts';
import { codesOfAdminKinds, codesOfPersonKinds, storedMailKinds } from './schemas.ts';
import { unreadSummaries } from './summary-repo.ts';

const kind = oneOf(notificationKinds);

export const notificationExportSections: ExportSection[] = [
  {
    name: 'notifications',
    row: exportRow('ExportNotification', {
      id: exportColumns.id,
      kind,
      subjectId: Type.String({
        description: `The id of the event; of the decision for \`decision\`; of the person for ${codesOfPersonKinds}; of the recipient for ${codesOfAdminKinds}.`,
      }),
      count: Type.Integer({ examples: [1] }),
      decision: nullable(
        Type.Object({ what: oneOf(decided), reason: nullable(Type.String()), title: Type.String() }),
      ),
      createdAt: nullable(timestamp(), { description: 'Null if it is not in the inbox yet.' }),
      readAt: nullable(timestamp()),
    }),
    description: "The person's notifications, without those that come from people whom a block separates.",
    tables: ['notifications', 'notification_causes'],
    rows: ({ id }) => sql`
      select n.id, n.kind, n.subject_id, n.count, n.decision, n.created_at, n.read_at
      from (
        select user_id, id, kind, subject_id, count, created_at, read_at, decision from notifications where user_id = ${id}
        union all
        select user_id, id, kind, subject_id, amount, null, null, decision from notification_causes where user_id = ${id}
        union all
        select user_id, id, kind, subject_id, count, created_at, read_at, decision from (${unreadSummaries(id)}) s
      ) n
      left join relations r on n.kind = any(${personKinds}) and r.user_id = n.user_id and r.other_id = n.subject_id
      where not coalesce(r.blocks or r.blocked_by, false)
      order by n.id`,
  },
  {
    name: 'notificationSettings',
    row: exportRow('ExportNotificationSetting', {
      kind,
      level: Type.String({ examples: ['off'] }),
    }),
    description: 'The kinds of notifications for which the person changed the default.',
    tables: ['notification_settings'],
    rows: ({ id }) => sql`select kind, level from notification_settings where user_id = ${id} order by kind`,
  },
  {
    name: 'pushSubscriptions',
    row: exportRow('ExportPushSubscription', {
      id: exportColumns.id,
      sessionId: exportColumns.id,
      service: Type.String({ examples: ['push.example.net'] }),
      createdAt: timestamp(),
    }),
    description:
      'The browsers to which notifications are sent. The address at the push service is a secret of the browser.',
    tables: ['push_subscriptions'],
    rows: ({ id }) => sql`
      select id, session_id, split_part(endpoint, '/', 3) as service, created_at
      from push_subscriptions where user_id = ${id} order by id`,
  },
  {
    name: 'pushes',
    row: exportRow('ExportPush', {
      notificationId: exportColumns.id,
      subscriptionId: exportColumns.id,
      dueAt: timestamp(),
    }),
    description: 'Notifications that are still to be sent to a browser.',
    tables: ['push_deliveries'],
    rows: ({ id }) => sql`
      select notification_id, subscription_id, due_at
      from push_deliveries where user_id = ${id} order by notification_id, subscription_id`,
  },
  {
    name: 'mails',
    row: exportRow('ExportMail', {
      id: exportColumns.id,
      kind: oneOf(storedMailKinds),
      address: Type.String({ examples: ['noor@example.org'] }),
      state: oneOf(mailStates),
      createdAt: timestamp(),
      endedAt: nullable(timestamp(), { description: 'When it was sent, or failed.' }),
    }),
    description: 'The mails to the person of the last days.',
    tables: ['mails'],
    rows: ({ id }) => sql`
      select id, kind, address, state, created_at, ended_at from mails where user_id = ${id} order by id`,
  },
];
