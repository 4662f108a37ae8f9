/** People and what they do with each other: profiles, follows, blocks, messages, uploads, notifications, reports. */
import { randomUUID } from 'node:crypto';
import { notificationKinds } from '../../src/outbox/kinds.ts';
import { createUpload, onePixelPng } from '../support/factories.ts';
import { Browser } from '../support/push-browser.ts';
import { collapse, cursorPage, limit, ofOrganizer, reportReason, yesOrNo } from './fields.ts';
import {
  asking,
  needed,
  type Operation,
  of,
  open,
  optional,
  ownersOnly,
  privateEvent,
  type RowContext,
  required,
  row,
  rowsOfOwners,
  text,
  withToken,
} from './operation.ts';
import { httpUrl, line, number, object, oneOf, opaque, orNull, prose } from './rules.ts';

/** Rows of a profile, and of the same profile when it is private; its organizer follows no other account. */
const rowsOfProfile = (tail: string) => ({
  rows: {
    '': ofOrganizer(tail),
    private: {
      statuses: [403, 401, 403, 403, 200, 403, 200, 401],
      ...ofOrganizer(tail),
      before: ({ api, organizer }: RowContext) => api.patch('/v1/me', organizer.token, { isPrivate: true }),
      needsFreshPeople: true as const,
    },
  },
});

const ofUpload = (tail = '') => ({
  path: async ({ api, organizer }: RowContext) =>
    `/v1/uploads/${(await createUpload(api, organizer)).id}${tail}`,
});
const toOneself = [401, 401, 200, 200, 400, 200, 200, 401];
const deliveries = oneOf('off', 'inbox', 'push', 'mail', 'all');
/** No server has signed it: test/mail/unsubscribe.test.ts has tokens of mails. */
const unsigned = 'reminder.AZei9GweejSaUS8MigcA4dVw3KXb1gWgk2Zt8m0cQ9M';
const report = ({ event }: RowContext) => ({ subject: { type: 'event', id: event }, reason: 'spam' });

export const peopleOperations: Record<string, Operation> = {
  'GET /v1/users/search': {
    ...required(),
    ...asking({ q: needed(line(2, 100)), limit }),
    ...row({ path: () => '/v1/users/search?q=guest' }),
  },
  'GET /v1/users/{id}': { ...optional(), ...rowsOfProfile('') },
  'GET /v1/users/{id}/followers': {
    ...optional(),
    ...asking(cursorPage),
    ...rowsOfProfile('/followers'),
  },
  'GET /v1/users/{id}/following': {
    ...optional(),
    ...asking(cursorPage),
    ...rowsOfProfile('/following'),
  },
  'GET /v1/users/{id}/events': {
    ...optional(),
    ...asking({ when: text(oneOf('upcoming', 'past')), collapse, ...cursorPage }),
    ...rowsOfProfile('/events'),
  },
  'GET /v1/users/{id}/avatar.svg': { ...open(), ...row(ofOrganizer('/avatar.svg')) },
  'POST /v1/users/{id}/follow': {
    ...required(),
    ...row({ statuses: [401, 401, 200, 403, 400, 200, 200, 401], ...ofOrganizer('/follow') }),
  },
  'DELETE /v1/users/{id}/follow': {
    ...required(),
    ...row({ statuses: toOneself, ...ofOrganizer('/follow') }),
  },
  'POST /v1/users/{id}/block': {
    ...required(),
    ...row({ statuses: toOneself, ...ofOrganizer('/block'), needsFreshPeople: true }),
  },
  'DELETE /v1/users/{id}/block': {
    ...required(),
    ...row({ statuses: toOneself, ...ofOrganizer('/block') }),
  },

  'POST /v1/users/{id}/messages': {
    ...required(201),
    ...of({ text: prose(2_000, { min: 1 }) }, { eventId: opaque }),
    example: () => ({ text: 'Shall I bring a second loaf?' }),
    ...row({ statuses: [401, 401, 201, 403, 400, 201, 201, 401], ...ofOrganizer('/messages') }),
  },
  'GET /v1/users/{id}/messages': {
    ...required(),
    ...asking(cursorPage),
    ...row(ofOrganizer('/messages')),
  },
  'POST /v1/users/{id}/messages/read': { ...required(), ...row(ofOrganizer('/messages/read')) },
  'GET /v1/conversations': { ...required(), ...asking(cursorPage) },
  'GET /v1/feed': { ...required(), ...asking({ collapse, ...cursorPage }) },

  'POST /v1/uploads': { ...required(201), ...row({ file: { type: 'image/png', content: onePixelPng } }) },
  'GET /v1/uploads/{id}.webp': { ...open(), ...row(ofUpload('.webp')) },
  'DELETE /v1/uploads/{id}': { ...required(), ...row({ statuses: ownersOnly(200), ...ofUpload() }) },

  'GET /v1/notifications': { ...required(), ...asking({ ...cursorPage, unread: yesOrNo }) },
  'POST /v1/notifications/read': {
    ...required(),
    ...of({ upTo: opaque }),
    example: () => ({ upTo: randomUUID() }),
  },
  'POST /v1/notifications/{id}/read': {
    ...required(),
    ...row({ statuses: withToken(404), path: () => `/v1/notifications/${randomUUID()}/read` }),
  },
  'GET /v1/events/{id}/mails': { ...required(), ...rowsOfOwners(200) },
  'GET /v1/notifications/settings': required(),
  'PATCH /v1/notifications/settings': {
    ...required(),
    ...of({}, Object.fromEntries(notificationKinds.map((kind) => [kind, deliveries]))),
    example: () => ({ follower: 'off' }),
  },
  'POST /v1/unsubscribe': {
    ...open(),
    ...asking({ token: needed(opaque), all: yesOrNo, undo: yesOrNo }),
    ...row({ statuses: Array(8).fill(400), path: () => `/v1/unsubscribe?token=${unsigned}` }),
  },
  // The URL of the test server is not https (test/notifications/push.test.ts).
  'GET /v1/push/key': { ...open(), ...row({ statuses: Array(8).fill(403) }) },
  'POST /v1/push/subscriptions': {
    ...required(201),
    ...of(
      { endpoint: httpUrl, keys: object({ required: { p256dh: opaque, auth: opaque }, optional: {} }) },
      { expirationTime: orNull(number(-1e300, 1e300)) },
    ),
    example: () => new Browser().toJSON(),
    ...row({ statuses: withToken(403) }),
  },
  'DELETE /v1/push/subscriptions/{id}': {
    ...required(),
    ...row({ statuses: withToken(404), path: () => `/v1/push/subscriptions/${randomUUID()}` }),
  },

  'POST /v1/reports': {
    ...required(201),
    ...of(
      {
        subject: object({
          required: { type: oneOf('event', 'item', 'message', 'user', 'comment'), id: opaque },
          optional: {},
        }),
        reason: reportReason,
      },
      { text: prose(2_000) },
    ),
    example: () => ({ subject: { type: 'event', id: randomUUID() }, reason: 'spam' }),
    rows: {
      '': { statuses: [401, 401, 201, 201, 400, 201, 201, 401], body: report },
      private: { statuses: [401, 401, 404, 404, 400, 404, 201, 401], body: report, ...privateEvent },
    },
  },
};
