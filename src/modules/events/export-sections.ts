/** Account export: the events that the person organizes. */
import { Type } from 'typebox';
import { sql } from '../../db/sql.ts';
import { type ExportSection, exportColumns, exportRow } from '../../http/export-section.ts';
import { nullable, oneOf, timestamp } from '../../http/schemas.ts';
import { audiences } from './audience.ts';
import { modules } from './catalogue.ts';

const { id, count } = exportColumns;

const ExportEvent = exportRow('ExportEvent', {
  id,
  title: Type.String({ examples: ['Harbour potluck'] }),
  description: Type.String(),
  coverUrl: nullable(Type.String(), { description: 'Null for the generated cover.' }),
  startAt: timestamp(),
  endAt: timestamp(),
  allDay: Type.Boolean(),
  timezone: Type.String({ examples: ['Europe/Oslo'] }),
  address: Type.String({ examples: ['Aker Brygge, Oslo'] }),
  lat: Type.Number(),
  lng: Type.Number(),
  category: Type.String({ description: 'A slug.', examples: ['food'] }),
  template: Type.String({ description: 'A slug.', examples: ['potluck'] }),
  price: Type.Number(),
  isPriceKnown: Type.Boolean(),
  currency: Type.String({ description: 'ISO 4217.', examples: ['EUR'] }),
  capacity: Type.Integer({ description: '0 means no limit.' }),
  visibility: oneOf(['public', 'unlisted', 'private']),
  status: oneOf(['scheduled', 'cancelled']),
  enabledModules: Type.Array(Type.String({ examples: modules })),
  guestListVisibility: oneOf(audiences),
  claimantVisibility: oneOf(audiences),
  createdAt: timestamp(),
  updatedAt: timestamp(),
  rsvpCount: count,
  goingCount: count,
  partyCount: count,
  bookedCount: count,
});

const ExportImport = exportRow('ExportImport', {
  uid: Type.String({ description: 'The UID of the calendar entry.' }),
  eventId: id,
});

export const eventExportSections: ExportSection[] = [
  {
    name: 'events',
    row: ExportEvent,
    description: 'The events that the person organizes.',
    tables: ['events', 'event_counters'],
    rows: (subject) => sql`
      select e.id, e.title, e.description, e.cover_url, e.start_at, e.end_at, e.all_day, e.timezone, e.address, e.lat,
        e.lng, e.category, e.template, e.price::float8 as price, e.is_price_known,
        e.currency, e.capacity, e.visibility, e.status,
        e.enabled_modules, e.guest_list_visibility, e.claimant_visibility, e.created_at, e.updated_at,
        c.rsvp_count, c.going_count, c.going_count + c.extra_guests_count as party_count, c.booked_count
      from events e join event_counters c on c.event_id = e.id
      where e.organizer_id = ${subject.id} order by e.start_at, e.id`,
  },
  {
    name: 'imports',
    row: ExportImport,
    description: 'The calendar entries from which these events were imported.',
    tables: ['imports'],
    rows: (subject) => sql`select uid, event_id from imports where organizer_id = ${subject.id} order by uid`,
  },
];
