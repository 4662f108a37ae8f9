/** Account export: the invitations that a person has made and received, and what counted towards the limits. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../http/schemas.ts';
import { canReceive } from '../../lib/contact.ts';
import { subjectColumns, subjectFields } from '../events/export-subject.ts';
import { deliveries, invitationStatuses, ofAccount } from './repo.ts';

const { id } = exportColumns;
const status = nullable(oneOf(invitationStatuses), { description: 'Null for a link for many.' });
const message = nullable(Type.String({ examples: ['Bring a friend!'] }));
const extraGuests = Type.Integer({ examples: [1] });
const reply = nullable(Type.String({ examples: ['I will be late.'] }));
const subject = subjectFields('Of an invitation to all dates of a series.');
const ways = ['inbox', 'email', 'phone', 'link'] as const;

export const invitationExportSections: ExportSection[] = [
  {
    name: 'invitations',
    row: exportRow('ExportInvitation', {
      id,
      ...subject,
      userId: nullable(id, { description: 'The account that is invited by its id, or that has answered.' }),
      name: nullable(exportColumns.name),
      contact: nullable(Type.String({ examples: ['mara@example.org'] })),
      ...{ message, status, extraGuests, reply },
      delivery: oneOf(deliveries),
      maxUses: Type.Integer({ examples: [1] }),
      uses: Type.Integer({ examples: [0] }),
      expiresAt: nullable(timestamp()),
      createdAt: timestamp(),
      answeredAt: nullable(timestamp()),
      remindedAt: nullable(timestamp()),
    }),
    description: 'Invitations that the person has made.',
    tables: ['invitations'],
    rows: (person) => sql`
      select id, ${subjectColumns(sql`i`)}, user_id, name, contact, message, status, extra_guests, reply, delivery, max_uses, uses,
        expires_at, created_at, answered_at, reminded_at
      from invitations i where inviter_id = ${person.id} order by id`,
  },
  {
    name: 'receivedInvitations',
    row: exportRow('ExportReceivedInvitation', {
      id,
      ...subject,
      inviterId: id,
      ...{ message, status, extraGuests, reply },
      createdAt: timestamp(),
      answeredAt: nullable(timestamp()),
    }),
    description:
      'Invitations of the person, by the account or by a contact, and links for many by which the person has answered.',
    tables: ['invitations', 'invitation_uses'],
    rows: (person) => sql`
      select i.id, ${subjectColumns(sql`i`)}, i.inviter_id, i.message, i.status, i.extra_guests, i.reply, i.created_at, i.answered_at
      from invitations i
      where ${ofAccount(person.id, person.contacts.filter(canReceive))} or i.guest_id = ${person.id}
      union all
      select i.id, ${subjectColumns(sql`i`)}, i.inviter_id, i.message, i.status, i.extra_guests, i.reply, i.created_at, i.answered_at
      from invitations i
      join invitation_uses u on u.subject_id = i.subject_id and u.invitation_id = i.id where u.user_id = ${person.id}
      order by 1`,
  },
  {
    name: 'invitationSends',
    row: exportRow('ExportInvitationSend', {
      invitationId: id,
      eventId: Type.String({ description: 'The event or the series.' }),
      way: oneOf(ways),
      isReminder: Type.Boolean({ examples: [false] }),
      dueAt: timestamp({ description: 'When the limits let it leave.' }),
    }),
    description:
      'What the invitations and reminders of the last two days count towards the limits of the person.',
    tables: ['invitation_sends'],
    rows: (person) => sql`
      select invitation_id, subject_id as event_id, way, is_reminder, due_at
      from invitation_sends where user_id = ${person.id} order by id`,
  },
];
