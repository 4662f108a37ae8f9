import { unlessLate } from '#fresh-records';
import { readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { listInvitationsById } from '../invitations/repo.ts';
import type { PeopleServices } from '../people/services.ts';
import { listNotices } from './notices.ts';
import { toNotification } from './present.ts';
import {
  countUnread,
  listNotifications as findNotifications,
  listAnswers,
  listBroughtItems,
} from './repo.ts';
import { NotificationPage, NotificationQuery } from './schemas.ts';

export const listNotifications = defineEndpoint({
  method: 'GET',
  path: '/v1/notifications',
  summary: 'List your notifications',
  description:
    'The newest notification first. There is at most one unread notification for each kind and each event or person: ' +
    'when something of the same kind happens again, a new one with a higher `count` replaces it. Notifications appear ' +
    'within seconds of their cause. The server stores the latest 200 of each person, by default for up to 90 days, and ' +
    'what an organizer has not read.',
  caller: 'fresh',
  query: NotificationQuery,
  response: { 200: NotificationPage },

  async handler({ caller, query }, { db, people, config }: PeopleServices) {
    const { cursor, limit, unread: unreadOnly = false } = query;
    const [before = null] = readCursor(cursor, 'id') ?? [];
    const [found, unreadCount] = await Promise.all([
      findNotifications(db, caller, { before, limit: limit + 1, unreadOnly }),
      countUnread(db, caller),
    ]);
    const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
    const reminders = rows.flatMap(({ kind, eventId }) => (kind === 'reminder' && eventId ? [eventId] : []));
    const replies = rows.flatMap(({ kind, eventId, personId: userId }) =>
      (kind === 'rsvps' || kind === 'bookings') && eventId && userId ? [{ eventId, userId }] : [],
    );
    const invited = rows.flatMap(({ kind, eventId }) => (kind === 'invitation' && eventId ? [eventId] : []));
    const [persons, invitations, brought, answers, notices] = await Promise.all([
      Promise.all(rows.map(async ({ personId }) => personId && unlessLate(people.find(personId)))),
      listInvitationsById(db, caller.id, invited),
      listBroughtItems(db, caller.id, reminders),
      listAnswers(db, replies),
      listNotices(db, rows),
    ]);
    const data = rows.map((row, i) =>
      toNotification(
        row,
        { person: persons[i] || null, invitations, brought, answers, notices },
        config.publicUrl,
      ),
    );
    return { status: 200, body: { data, nextCursor, unreadCount } };
  },
});
