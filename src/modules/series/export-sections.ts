/** Account export: the series that the person organizes, and the RSVPs to series. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../http/schemas.ts';
import { rsvpStatuses } from '../events/repo.ts';

const { id } = exportColumns;
/** An object as it is stored. */
const anyFields = (examples: object[], description = '') =>
  Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    examples,
    ...(description && { description }),
  });
const dates = Type.Array(Type.String({ examples: ['2026-12-24T18:00'] }));

export const seriesExportSections: ExportSection[] = [
  {
    name: 'series',
    row: exportRow('ExportSeries', {
      id,
      rrule: Type.String({ examples: ['FREQ=WEEKLY;BYDAY=TU'] }),
      extraDates: dates,
      excludedDates: dates,
      deletedDates: dates,
      firstDate: Type.String({ examples: ['2026-12-01T18:00'] }),
      timezone: Type.String({ examples: ['Europe/Oslo'] }),
      allDay: Type.Boolean(),
      length: Type.String({ description: 'An ISO 8601 duration.', examples: ['PT2H'] }),
      closesBefore: nullable(
        Type.String({ description: 'How long before its start the answers to an occurrence close.' }),
      ),
      fields: anyFields(
        [{ title: 'Choir', category: 'music' }],
        'The fields of new occurrences, as those of an event.',
      ),
      items: Type.Array(anyFields([{ title: 'Cake', kind: 'bring', quantityNeeded: 1 }])),
      status: oneOf(['active', 'ended']),
      createdAt: timestamp(),
    }),
    description: 'The series of events that the person organizes.',
    tables: ['series'],
    rows: (subject) => sql`
      select id, rrule, extra_dates, excluded_dates, deleted_dates, first_date, timezone, all_day, length, closes_before, fields, items, status,
        created_at
      from series where organizer_id = ${subject.id} order by created_at, id`,
  },
  {
    name: 'seriesRsvps',
    row: exportRow('ExportSeriesRsvp', {
      seriesId: id,
      status: oneOf(rsvpStatuses),
      extraGuests: Type.Integer({ description: 'People whom the person brings.', examples: [2] }),
      isHidden: Type.Boolean({ description: 'Whether the RSVPs are hidden from other guests.' }),
      createdAt: timestamp(),
    }),
    description: 'RSVPs to all dates of series.',
    tables: ['series_rsvps'],
    rows: (subject) => sql`
      select series_id, status, extra_guests, is_hidden, created_at from series_rsvps
      where user_id = ${subject.id} order by created_at, series_id`,
  },
  {
    name: 'seriesStandings',
    row: exportRow('ExportSeriesStanding', {
      seriesId: id,
      isInvited: Type.Boolean({ description: 'Whether the person is invited.' }),
      isApproved: Type.Boolean({ description: 'Whether the organizer approved a request of the person.' }),
      isRemoved: Type.Boolean({ description: 'Whether the organizer removed the person.' }),
    }),
    description: 'What organizers decided about the person at all dates of series.',
    tables: ['series_people'],
    rows: (subject) => sql`
      select series_id, is_invited, is_approved, is_removed from series_people
      where user_id = ${subject.id} order by series_id`,
  },
];
