/**
 * Everything that is held about a person, section by section. A table that holds something of people has a section here:
 * test/export.test.ts looks for them in every table, and fails for one that no section names.
 */

import type { TSchema } from 'typebox';
import { selectOwnAudit } from '../../audit/audit.ts';
import { type Statement, sql } from '../../db/sql.ts';
import * as schemas from './export-schemas.ts';

/** Whose it is. `phoneHash`: what codes are kept under. */
export type Subject = { id: string; phone: string; phoneHash: Buffer; secretKey: string; publicUrl: string };

export type Section = {
  name: string;
  about: string;
  /** The schema of a row, which has a name; the answer is validated by it in every test. */
  row: TSchema;
  /** Whatever of these tables is of the person is told here, or in another section that names them. */
  tables: string[];
  /** Without hashes, which tell nothing, and without what would tell of others more than the person may see anyway. */
  rows: (me: Subject) => Statement;
};

/** The other of two people, as everybody may see them. */
const other = sql`o.id as user_id, o.name, o.username`;

export const sections: Section[] = [
  {
    name: 'profile',
    row: schemas.ExportProfile,
    about: 'The account, with the phone number.',
    tables: ['users', 'user_counters', 'phones', 'usernames'],
    rows: ({ id }) => sql`
      select u.id, u.phone, u.name, u.username, u.bio, u.city, u.is_private, u.role, u.avatar_upload, u.suspended_at,
        u.created_at, c.followers_count, c.following_count, c.events_count
      from users u join user_counters c on c.user_id = u.id where u.id = ${id}`,
  },
  {
    name: 'sessions',
    row: schemas.ExportSession,
    about: 'The devices that are signed in; tokens are kept nowhere.',
    tables: ['sessions'],
    rows: ({ id }) => sql`
      select id, user_agent, created_at, refreshed_at, access_expires_at, refresh_expires_at, ends_at
      from sessions where user_id = ${id} order by id`,
  },
  {
    name: 'codes',
    row: schemas.ExportCode,
    about: 'When codes were sent to the number, and when wrong ones were tried.',
    tables: ['codes'],
    rows: ({ phoneHash }) => sql`
      select purpose, sent_at, expires_at, code_hash is null as is_used, tries
      from codes where phone_hash = ${phoneHash} order by purpose`,
  },
  {
    name: 'codesSent',
    row: schemas.ExportCodesSent,
    about: 'How many messages with codes went to the number in a day.',
    tables: ['code_sends'],
    rows: ({ phoneHash }) => sql`
      select day::text as day, sent from code_sends
      where scope = ${`number:${phoneHash.toString('base64url')}`} order by day`,
  },
  {
    name: 'events',
    row: schemas.ExportEvent,
    about: 'Events that the person organizes.',
    tables: ['events', 'event_counters'],
    rows: ({ id }) => sql`
      select e.id, e.title, e.description, e.cover_url, e.start_at, e.end_at, e.all_day, e.timezone, e.address, e.lat,
        e.lng, e.category, e.template, e.price::float8 as price, e.price > 0 or e.is_price_known as is_price_known,
        e.currency, e.capacity, e.visibility, e.status,
        e.enabled_modules, e.created_at, e.updated_at, c.rsvp_count, c.going_count, c.booked_count
      from events e join event_counters c on c.event_id = e.id
      where e.organizer_id = ${id} order by e.start_at, e.id`,
  },
  {
    name: 'items',
    row: schemas.ExportItem,
    about: 'The items of these events.',
    tables: ['items', 'item_stock'],
    rows: ({ id }) => sql`
      select i.event_id || '.' || i.n as id, i.event_id, i.kind, i.title, i.description, i.emoji, i.image_url, i.link,
        s.needed as quantity_needed, s.claimed as quantity_claimed, i.created_at
      from events e join items i on i.event_id = e.id join item_stock s on s.event_id = i.event_id and s.n = i.n
      where e.organizer_id = ${id} order by i.event_id, i.n`,
  },
  {
    name: 'imports',
    row: schemas.ExportImport,
    about: 'Which calendar entries these events were imported from.',
    tables: ['imports'],
    rows: ({ id }) => sql`select uid, event_id from imports where organizer_id = ${id} order by uid`,
  },
  {
    name: 'rsvps',
    row: schemas.ExportRsvp,
    about: 'Answers to events.',
    tables: ['rsvps'],
    rows: ({ id }) => sql`
      select event_id, status, created_at from rsvps where user_id = ${id} order by created_at, event_id`,
  },
  {
    name: 'saves',
    row: schemas.ExportSave,
    about: 'Saved events.',
    tables: ['saves'],
    rows: ({ id }) => sql`
      select event_id, created_at from saves where user_id = ${id} order by created_at, event_id`,
  },
  {
    name: 'claims',
    row: schemas.ExportClaim,
    about: 'What the person brings or gives.',
    tables: ['claims'],
    rows: ({ id }) => sql`
      select id, event_id || '.' || n as item_id, event_id, quantity, created_at
      from claims where user_id = ${id} order by id`,
  },
  {
    name: 'bookings',
    row: schemas.ExportBooking,
    about: 'Booked seats, and places on waitlists.',
    tables: ['bookings'],
    rows: ({ id }) => sql`
      select id, event_id, seats, status, created_at from bookings where user_id = ${id} order by id`,
  },
  {
    name: 'following',
    row: schemas.ExportPerson,
    about: 'Whom the person follows.',
    tables: ['relations'],
    rows: ({ id }) => sql`
      select ${other} from relations r join users o on o.id = r.other_id
      where r.user_id = ${id} and r.follows order by o.id`,
  },
  {
    name: 'followers',
    row: schemas.ExportPerson,
    about: 'Who follows the person.',
    tables: ['relations'],
    rows: ({ id }) => sql`
      select ${other} from relations r join users o on o.id = r.other_id
      where r.user_id = ${id} and r.followed_by order by o.id`,
  },
  {
    name: 'blocks',
    row: schemas.ExportPerson,
    about: 'Whom the person blocked. Who blocked them is theirs alone to know.',
    tables: ['relations'],
    rows: ({ id }) => sql`
      select ${other} from relations r join users o on o.id = r.other_id
      where r.user_id = ${id} and r.blocks order by o.id`,
  },
  {
    name: 'conversations',
    row: schemas.ExportConversation,
    about: 'With whom the person exchanged messages.',
    tables: ['conversations'],
    rows: ({ id }) => sql`
      select ${other}, c.unread_count from conversations c join users o on o.id = c.other_id
      where c.user_id = ${id} order by o.id`,
  },
  {
    name: 'messages',
    row: schemas.ExportMessage,
    about: 'All of their messages, sent and received; `userId` is the other person.',
    tables: ['messages'],
    rows: ({ id }) => sql`
      select id, other_id as user_id, is_own, text, created_at from messages
      where user_id = ${id} order by other_id, id`,
  },
  {
    name: 'messagesSent',
    row: schemas.ExportMessagesSent,
    about: 'How many messages they sent since a moment at most a minute before the last.',
    tables: ['message_counts'],
    rows: ({ id }) => sql`select since, sent from message_counts where user_id = ${id}`,
  },
  {
    name: 'uploads',
    row: schemas.ExportUpload,
    about: 'Images; each is to be had at its `url`.',
    tables: ['uploads'],
    rows: ({ id, publicUrl }) => sql`
      select id, ${publicUrl}::text || '/v1/uploads/' || id || '.webp' as url, width, height, bytes, created_at
      from uploads where user_id = ${id} order by id`,
  },
  {
    name: 'uploadUsage',
    row: schemas.ExportUploadUsage,
    about: 'How many images they sent on their latest day, and what all of them take, in bytes.',
    tables: ['upload_usage'],
    rows: ({ id }) => sql`
      select day::text as day, today, bytes::float8 as bytes from upload_usage where user_id = ${id}`,
  },
  {
    name: 'calendar',
    row: schemas.ExportCalendar,
    about: 'When the secret address of the calendar was made; the address itself is kept nowhere.',
    tables: ['calendars'],
    rows: ({ id }) => sql`select created_at from calendars where user_id = ${id}`,
  },
  {
    name: 'reports',
    row: schemas.ExportReport,
    about: 'What the person reported.',
    tables: ['reports'],
    rows: ({ id }) => sql`
      select id, subject_type, subject_id, reason, text, status, created_at, resolved_at
      from reports where reporter_id = ${id} order by id`,
  },
  {
    name: 'audit',
    about:
      'What happened to the account and its sessions. `address` is the network of the request, and null for what an ' +
      'admin or a command did; the reason of a suspension is left out.',
    row: schemas.ExportAuditEntry,
    tables: ['audit'],
    rows: ({ secretKey, id, phone }) => selectOwnAudit(secretKey, id, phone),
  },
  {
    name: 'adminActions',
    row: schemas.ExportAdminAction,
    about: 'What the person did as an admin.',
    tables: ['audit'],
    rows: ({ id }) => sql`select at, what, address from audit where by_id = ${id} order by at, id`,
  },
  {
    name: 'idempotencyKeys',
    row: schemas.ExportIdempotencyKey,
    about:
      'When requests were made whose answers are kept for a day, sealed under keys that only the client has.',
    tables: ['idempotency_keys'],
    rows: ({ id }) => sql`
      select created_at from idempotency_keys where user_id = ${id} order by created_at`,
  },
];
