/** Account export: the events that the person organizes. */
import { Type } from 'typebox';
import { sql } from '../../db/sql.ts';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { timestamp } from '../../http/schemas.ts';
import { fieldRows } from './event-fields.ts';
import { eventColumns } from './repo.ts';

const { id, count } = exportColumns;

export const eventExportSections: ExportSection[] = [
  {
    name: 'events',
    row: exportRow('ExportEvent', {
      id,
      ...Object.fromEntries(fieldRows.map(([name, { stored }]) => [name, stored])),
      createdAt: timestamp(),
      updatedAt: timestamp(),
      rsvpCount: count,
      goingCount: count,
      partyCount: count,
      bookedCount: count,
    }),
    description: 'The events that the person organizes.',
    tables: ['events', 'event_counters'],
    rows: (subject) => sql`
      select e.id, ${eventColumns}
      from events e join event_counters c on c.event_id = e.id
      where e.organizer_id = ${subject.id} order by e.start_at, e.id`,
  },
  {
    name: 'imports',
    row: exportRow('ExportImport', {
      uid: Type.String({ description: 'The UID of the calendar entry.' }),
      eventId: id,
    }),
    description: 'The calendar entries from which these events were imported.',
    tables: ['imports'],
    rows: (subject) => sql`select uid, event_id from imports where organizer_id = ${subject.id} order by uid`,
  },
];
