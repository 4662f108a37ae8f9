/** Account export: the events that the person organizes. */
import { Type } from 'typebox';
import { sql } from '#pg';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../http/schemas.ts';
import { fanOutKinds } from '../../outbox/kinds.ts';
import { noticedFields } from '../../outbox/notices.ts';
import { eventFields, fieldRows } from './event-fields.ts';
import { enteredColumns } from './repo.ts';

const { id, count } = exportColumns;
const noticed = Type.Object(
  Object.fromEntries(noticedFields.map((name) => [name, eventFields[name].stored])),
);

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
      select e.id, ${enteredColumns}
      from events e join event_counters c on c.event_id = e.id
      where e.organizer_id = ${subject.id} order by e.start_at, e.id`,
  },
  {
    name: 'eventNotices',
    row: exportRow('ExportEventNotice', {
      id,
      eventId: id,
      kind: oneOf(fanOutKinds),
      before: noticed,
      after: noticed,
      createdAt: timestamp(),
    }),
    description: 'What the guests of these events were notified of: the latest changes.',
    tables: ['event_notices'],
    rows: (subject) => sql`
      select n.id, n.event_id, n.kind, n.before, n.after, n.created_at
      from event_notices n join events e on e.id = n.event_id
      where e.organizer_id = ${subject.id} order by n.event_id, n.id`,
  },
  {
    name: 'imports',
    row: exportRow('ExportImport', {
      uid: Type.String({ description: 'The UID of the calendar entry.' }),
      eventId: nullable(id),
      seriesId: nullable(id, { description: 'The series that the entry became.' }),
    }),
    description: 'The calendar entries from which these events and series were imported.',
    tables: ['imports'],
    rows: (subject) => sql`
      select uid, case when series_id is null then event_id end as event_id, series_id from imports
      where organizer_id = ${subject.id} and part_of is null order by uid`,
  },
];
