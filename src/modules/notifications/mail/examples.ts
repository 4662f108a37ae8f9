/**
 * An example of each kind of mail, by the functions that write real mails: for admins, for the files that tests compare, and for
 * the pictures of the documentation. The tokens in its links are not valid.
 */
import type { Language } from '../../../../web/src/lib/language/languages.ts';
import { codePurposes } from '../../../lib/contact.ts';
import { codeContent } from '../../../mail/code-content.ts';
import { isMailKind, mailKinds } from '../../../mail/kinds.ts';
import type { MailContent } from '../../../mail/layout.ts';
import {
  anonymousKinds,
  type DeliveredKindName,
  deliveredKinds,
  kindsWithoutEvent,
} from '../../../outbox/kinds.ts';
import type { NotificationRow } from '../present.ts';
import { invitationContent, type MailedInvitation } from './invitation-content.ts';
import { type MailContext, type MailedNews, newsContent, ownContent } from './mail-content.ts';
import { summaryContent } from './write-summary.ts';

const codeKinds = codePurposes.map((purpose) => `code_${purpose}` as const);
/** Mails with codes, and the mails of the queue. */
export const exampleKinds = [...codeKinds, ...mailKinds, ...deliveredKinds];
export type ExampleKind = (typeof exampleKinds)[number];

/** @param context `links`: null for mails that lead to no page */
export function mailExample(kind: ExampleKind, language: Language, context: MailContext): MailContent {
  const purpose = codePurposes.find((name) => kind === `code_${name}`);
  if (purpose) {
    const link = context.links && `${context.links}/sign-in/link?token=Zm9v`;
    const code = { address: 'noor@example.net', purpose, code: '493027', link, language };
    return codeContent(code, context.instance);
  }
  if (kind === 'summary')
    return summaryContent({ rows: countedRows, stop: stopOf(kind, context) }, language, context);
  if (kind === 'invited' || kind === 'invited_reminder')
    return invitationContent(invitationExample(kind, context), language, context);
  if (isMailKind(kind)) return ownContent(kind, language, context);
  return newsContent(newsExample(kind as DeliveredKindName, context), language, context);
}

const row: NotificationRow = {
  id: '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f7',
  kind: 'reminder',
  createdAt: new Date('2026-12-11T17:00:00Z'),
  isUnread: true,
  count: 1,
  personId: '0197a2f4-6c1e-7a34-9a51-2f0c8a6de001',
  isFollowing: false,
  eventId: '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1',
  ...{ title: 'Glögg & <soup> on the quay', coverUrl: null, coverTheme: null, category: 'food' },
  ...{ startAt: new Date('2026-12-12T17:00:00Z'), endAt: new Date('2026-12-12T21:30:00Z'), allDay: false },
  ...{ timezone: 'Europe/Stockholm', address: 'Kajen 3, Mölle', lat: 56.28, lng: 12.49, isExact: true },
  ...{ status: 'scheduled', visibility: 'public' },
  reason: null,
  ...{ since: null, about: null, text: null },
  readAt: null,
  decision: null,
};

const rowBefore: NotificationRow = {
  ...row,
  ...{ title: 'Glögg on the quay', address: 'Hamnen, Mölle' },
  ...{ startAt: new Date('2026-12-11T16:00:00Z'), endAt: new Date('2026-12-11T20:00:00Z') },
};

const atPlace = (event: NotificationRow) => ({ ...event, locationKind: 'place' as const });

const countedRows = (['rsvps', 'claims', 'bookings', 'requests'] as const).flatMap((kind, n) => [
  { ...row, kind, count: n + 1 },
  { ...row, kind, count: 40, title: 'Harbour potluck' },
]);

export const newsExample = (kind: DeliveredKindName, context: MailContext): MailedNews => ({
  row: {
    ...{ ...row, kind, ...(kindsWithoutEvent.includes(kind) && { eventId: null }) },
    reason: kind === 'eventHidden' ? 'The address belongs to a person who knows nothing of the event.' : null,
    decision:
      kind === 'decision'
        ? { what: 'refused', reason: 'The quay is full this year.', title: 'Glögg & <soup> on the quay' }
        : null,
  },
  names: anonymousKinds.includes(kind) ? [] : ['Noor al-Hamad'],
  changes:
    kind === 'eventChanged'
      ? { parts: ['title', 'time', 'address'], before: atPlace(rowBefore), after: atPlace(row) }
      : null,
  message: ['eventChanged', 'eventCancelled', 'announcement'].includes(kind)
    ? 'The quay is closed.\nBring <warm> clothes!'
    : null,
  brought: kind === 'reminder' ? [{ kind: 'bring', title: 'Saffron buns', emoji: '🥐', quantity: 12 }] : [],
  guestUrl: null,
  stop: stopOf(kind, context),
});

const invitationExample = (kind: MailedInvitation['kind'], context: MailContext): MailedInvitation => ({
  ...{ kind, inviter: 'Noor al-Hamad', event: row, message: 'Bring a <friend>!\nWe have room.' },
  links:
    context.links === null
      ? null
      : {
          answer: `${context.links}/i/kq3Zt8m0cQ9MAZei9GweejSaUS8MigcA`,
          refuse: stopOf('invitations', context) ?? { page: '', post: '' },
        },
});

const stopOf = (kind: string, { links }: MailContext): MailedNews['stop'] =>
  links === null
    ? null
    : {
        page: `${links}/unsubscribe?token=${kind}.Zm9v`,
        post: `${links}/v1/unsubscribe?token=${kind}.Zm9v`,
      };
