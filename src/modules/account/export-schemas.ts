/** The rows of the export's sections. Rows have the columns of their queries (export-queries.ts), all of them. */
import { type TProperties, Type } from 'typebox';
import { nullable, oneOf, shared, timestamp } from '../../http/schemas.ts';
import { modules } from '../events/catalogue.ts';
import { kinds } from '../items/schemas.ts';
import { reasons, subjectTypes } from '../reports/schemas.ts';

const id = Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] });
const itemId = Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] });
const count = Type.Integer({ minimum: 0, examples: [14] });
const day = Type.String({ format: 'date', description: 'In UTC.', examples: ['2026-12-24'] });
const network = nullable(Type.String({ examples: ['203.0.113.0/24'] }), {
  description: 'The network of the address, shortened; null if it is not known.',
});

const row = <P extends TProperties>(name: string, properties: P) => shared(name, Type.Object(properties));

const person = {
  userId: id,
  name: Type.String({ examples: ['Mara Lindgren'] }),
  username: Type.String({ examples: ['mara.l'] }),
};

export const ExportProfile = row('ExportProfile', {
  id,
  phone: Type.String({ description: 'E.164.', examples: ['+12025550102'] }),
  name: person.name,
  username: person.username,
  bio: Type.String(),
  city: Type.String(),
  isPrivate: Type.Boolean(),
  role: oneOf(['user', 'admin']),
  avatarUpload: nullable(id, { description: 'The id of the upload; null: the generated avatar.' }),
  suspendedAt: nullable(timestamp()),
  createdAt: timestamp(),
  followersCount: count,
  followingCount: count,
  eventsCount: count,
});

export const ExportSession = row('ExportSession', {
  id,
  userAgent: Type.String(),
  createdAt: timestamp(),
  refreshedAt: timestamp(),
  accessExpiresAt: timestamp(),
  refreshExpiresAt: timestamp(),
  endsAt: timestamp(),
});

export const ExportCode = row('ExportCode', {
  purpose: oneOf(['sign_in', 'delete_account']),
  sentAt: timestamp(),
  expiresAt: timestamp(),
  isUsed: Type.Boolean(),
  tries: Type.Array(timestamp(), { description: 'When wrong codes were tried.' }),
});

export const ExportCodesSent = row('ExportCodesSent', { day, sent: count });

export const ExportEvent = row('ExportEvent', {
  id,
  title: Type.String({ examples: ['Harbour potluck'] }),
  description: Type.String(),
  coverUrl: nullable(Type.String(), { description: 'Null: the generated cover.' }),
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
  capacity: Type.Integer({ description: '0 is without limit.' }),
  visibility: oneOf(['public', 'unlisted', 'private']),
  status: oneOf(['scheduled', 'cancelled']),
  enabledModules: Type.Array(Type.String({ examples: modules })),
  createdAt: timestamp(),
  updatedAt: timestamp(),
  rsvpCount: count,
  goingCount: count,
  bookedCount: count,
});

export const ExportItem = row('ExportItem', {
  id: itemId,
  eventId: id,
  kind: oneOf(kinds),
  title: Type.String({ examples: ['Sourdough bread'] }),
  description: nullable(Type.String()),
  emoji: Type.String({ examples: ['🍞'] }),
  imageUrl: nullable(Type.String()),
  link: nullable(Type.String()),
  quantityNeeded: Type.Integer({ examples: [3] }),
  quantityClaimed: Type.Integer({ examples: [2] }),
  createdAt: timestamp(),
});

export const ExportImport = row('ExportImport', {
  uid: Type.String({ description: 'The UID of the calendar entry.' }),
  eventId: id,
});

export const ExportRsvp = row('ExportRsvp', {
  eventId: id,
  status: oneOf(['going', 'interested']),
  createdAt: timestamp(),
});

export const ExportSave = row('ExportSave', { eventId: id, createdAt: timestamp() });

export const ExportClaim = row('ExportClaim', {
  id,
  itemId,
  eventId: id,
  quantity: Type.Integer({ examples: [2] }),
  createdAt: timestamp(),
});

export const ExportBooking = row('ExportBooking', {
  id,
  eventId: id,
  seats: Type.Integer({ examples: [2] }),
  status: oneOf(['booked', 'waiting']),
  createdAt: timestamp(),
});

/** For everyone whom the person follows, is followed by or has blocked. */
export const ExportPerson = row('ExportPerson', person);

export const ExportConversation = row('ExportConversation', { ...person, unreadCount: count });

export const ExportMessage = row('ExportMessage', {
  id,
  userId: id,
  isOwn: Type.Boolean({ description: 'Whether the person wrote it.' }),
  text: Type.String(),
  createdAt: timestamp(),
});

export const ExportMessagesSent = row('ExportMessagesSent', { since: timestamp(), sent: count });

export const ExportUpload = row('ExportUpload', {
  id,
  url: Type.String(),
  width: Type.Integer({ description: 'In pixels.' }),
  height: Type.Integer(),
  bytes: Type.Integer(),
  createdAt: timestamp(),
});

export const ExportUploadUsage = row('ExportUploadUsage', { day, today: count, bytes: count });

export const ExportCalendar = row('ExportCalendar', { createdAt: timestamp() });

export const ExportReport = row('ExportReport', {
  id,
  subjectType: oneOf(subjectTypes),
  subjectId: Type.String(),
  reason: oneOf(reasons),
  text: Type.String(),
  status: oneOf(['open', 'resolved']),
  createdAt: timestamp(),
  resolvedAt: nullable(timestamp()),
});

const entry = { at: timestamp(), what: Type.String({ examples: ['signed_in'] }), address: network };

export const ExportAuditEntry = row('ExportAuditEntry', { ...entry, detail: Type.String() });

/** Without `detail`, which can name other people. */
export const ExportAdminAction = row('ExportAdminAction', entry);

export const ExportIdempotencyKey = row('ExportIdempotencyKey', { createdAt: timestamp() });
