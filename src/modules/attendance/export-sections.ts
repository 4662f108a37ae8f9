/** Account export: RSVPs, requests, saves and bookings. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../http/schemas.ts';
import { subjectColumns, subjectFields } from '../events/export-subject.ts';

const { id } = exportColumns;

export const attendanceExportSections: ExportSection[] = [
  {
    name: 'rsvps',
    row: exportRow('ExportRsvp', {
      eventId: id,
      status: oneOf(['going', 'interested']),
      extraGuests: Type.Integer({ description: 'People whom the person brings.', examples: [2] }),
      isHidden: Type.Boolean({ description: 'Whether the RSVP is hidden from other guests.' }),
      createdAt: timestamp(),
    }),
    description: 'RSVPs to events.',
    tables: ['rsvps'],
    rows: (subject) => sql`
      select event_id, status, coalesce(extra_guests, 0) as extra_guests, coalesce(is_hidden, false) as is_hidden,
        created_at
      from rsvps where user_id = ${subject.id} order by created_at, event_id`,
  },
  {
    name: 'requests',
    row: exportRow('ExportRequest', {
      ...subjectFields('Of a request to join all dates of a series.'),
      status: oneOf(['pending', 'refused', 'approved']),
      answer: oneOf(['going', 'interested'], { description: 'The RSVP that the person asked for.' }),
      extraGuests: Type.Integer({ description: 'People whom the person wanted to bring.', examples: [2] }),
      isHidden: Type.Boolean({ description: 'Whether the RSVP was to be hidden from other guests.' }),
      message: nullable(Type.String({ description: 'For the organizer.' })),
      createdAt: timestamp(),
      refusedAt: nullable(timestamp()),
    }),
    description: 'Requests to join events and series.',
    tables: ['requests'],
    rows: (subject) => sql`
      select ${subjectColumns(sql`q`)}, status, answer, coalesce(extra_guests, 0) as extra_guests,
        coalesce(is_hidden, false) as is_hidden, message, created_at, refused_at
      from requests q where user_id = ${subject.id} order by created_at, subject_id`,
  },
  {
    name: 'saves',
    row: exportRow('ExportSave', { eventId: id, createdAt: timestamp() }),
    description: 'Saved events.',
    tables: ['saves'],
    rows: (subject) => sql`
      select event_id, created_at from saves where user_id = ${subject.id} order by created_at, event_id`,
  },
  {
    name: 'bookings',
    row: exportRow('ExportBooking', {
      id,
      eventId: id,
      seats: Type.Integer({ examples: [2] }),
      status: oneOf(['booked', 'waiting']),
      createdAt: timestamp(),
    }),
    description: 'Booked seats, and places on waitlists.',
    tables: ['bookings'],
    rows: (subject) => sql`
      select id, event_id, seats, status, created_at from bookings where user_id = ${subject.id} order by id`,
  },
];
