/** A notification of each kind that is mailed, for the files in golden/ and the pictures of the documentation. */
import type { MailedNews } from '../../src/modules/notifications/mail/mail-content.ts';
import type { MailedSummary } from '../../src/modules/notifications/mail/write-summary.ts';
import type { NotificationRow } from '../../src/modules/notifications/present.ts';
import {
  type NotificationKind,
  notificationKinds,
  personKinds,
  summaryKinds,
} from '../../src/outbox/kinds.ts';

const eventId = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';
const event: NotificationRow = {
  id: '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f7',
  kind: 'reminder',
  createdAt: new Date('2026-12-11T17:00:00Z'),
  isUnread: true,
  count: 1,
  personId: '0197a2f4-6c1e-7a34-9a51-2f0c8a6de001',
  isFollowing: false,
  ...{ eventId, title: 'Glögg & <soup> on the quay', coverUrl: null, coverTheme: null, category: 'food' },
  ...{ startAt: new Date('2026-12-12T17:00:00Z'), endAt: new Date('2026-12-12T21:30:00Z'), allDay: false },
  ...{ timezone: 'Europe/Stockholm', address: 'Kajen 3, Mölle', lat: 56.28, lng: 12.49, isExact: true },
  status: 'scheduled',
};
const person = { ...event, eventId: null };

const newsOf = (kind: NotificationKind): MailedNews => ({
  row: { ...(personKinds.includes(kind) || kind === 'reports' ? person : event), kind },
  names: ['Noor al-Hamad'],
  brought: kind === 'reminder' ? [{ title: 'Saffron buns', emoji: '🥐', quantity: 12 }] : [],
  stop: {
    page: `https://events.example.org/unsubscribe?token=${kind}.Zm9v`,
    post: `https://events.example.org/v1/unsubscribe?token=${kind}.Zm9v`,
  },
});

const kinds = notificationKinds.filter((kind) => !summaryKinds.some((name) => name === kind));
const days = {
  startAt: new Date('2027-06-17T22:00:00Z'),
  endAt: new Date('2027-06-20T22:00:00Z'),
  allDay: true,
};
const changed = newsOf('eventChanged');

/** Each with its name. */
export const mailedNews: [string, MailedNews][] = [
  ...kinds.map((kind): [string, MailedNews] => [kind, newsOf(kind)]),
  ['eventChanged-all_day', { ...changed, row: { ...changed.row, ...days, address: '' } }],
  ['message-several', { ...newsOf('message'), row: { ...newsOf('message').row, count: 11 }, names: [] }],
  ['follower-several', { ...newsOf('follower'), names: ['Noor al-Hamad', 'Leila', 'Åsa', 'Ben', 'Cem'] }],
];

export const mailedSummary: MailedSummary = {
  rows: (['rsvps', 'claims', 'bookings'] as const).flatMap((kind, n) => [
    { ...event, kind, count: n + 1 },
    { ...event, kind, count: 40, title: 'Harbour potluck' },
  ]),
  stop: {
    page: 'https://events.example.org/unsubscribe?token=summary.Zm9v',
    post: 'https://events.example.org/v1/unsubscribe?token=summary.Zm9v',
  },
};
