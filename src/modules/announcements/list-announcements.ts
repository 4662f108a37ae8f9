import { readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readId } from '../../lib/ids.ts';
import { countRecipients, guestAudiences } from '../../outbox/audiences.ts';
import { isOrganizer } from '../events/audience.ts';
import { requireOrganizer } from '../events/policy.ts';
import { EventParams } from '../events/schemas.ts';
import type { EventServices } from '../events/services.ts';
import { requireVisibleEvent } from '../events/visible-event.ts';
import { listPeople } from '../people/repo.ts';
import { toAnnouncement } from './present.ts';
import { readableBy } from './readable.ts';
import { listAnnouncements as findAnnouncements } from './repo.ts';
import { AnnouncementPage, AnnouncementQuery, Recipients, RecipientsQuery, readAudience } from './schemas.ts';

export const listAnnouncements = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/announcements',
  summary: 'List the announcements of an event',
  description:
    'The newest first, by the time at which they are sent. For the organizer and admins, all of them. For others, those that were ' +
    'sent to a list of people in which they are now, without those of authors across a block; without a token, none.',
  caller: 'optional',
  session: { guests: 'ofEvent' },
  params: EventParams,
  query: AnnouncementQuery,
  response: { 200: AnnouncementPage },
  problems: ['event_not_found'],

  async handler({ caller, params, query }, services: EventServices) {
    const { db, config } = services;
    const id = readId(params.id, 'event_not_found');
    const after = readCursor(query.cursor, 'time', 'id');
    const event = await requireVisibleEvent(services, id, caller);
    const readBy = await readableBy(db, event.row, caller);
    const found = await findAnnouncements(db, id, { readBy, after, limit: query.limit + 1 });
    const { rows, nextCursor } = toPage(found, query.limit, ({ sendAt, id }) => [sendAt, id]);
    const people = await listPeople(db, [...new Set(rows.map(({ authorId }) => authorId))]);
    const authors = new Map(people.map((person) => [person.id, person]));
    const reader = { isOrganizer: isOrganizer(event.row, caller), publicUrl: config.publicUrl };
    // The announcements of an account that is deleted meanwhile are gone.
    const data = rows.flatMap((row) => {
      const author = authors.get(row.authorId);
      return author ? [toAnnouncement(row, author, reader)] : [];
    });
    return { status: 200, body: { data, nextCursor } };
  },
});

export const countAnnouncementRecipients = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/announcements/recipients',
  summary: 'Count the recipients of an announcement',
  description:
    'For the organizer of the event and admins: how many people an announcement of the caller would reach now.',
  caller: 'fresh',
  params: EventParams,
  query: RecipientsQuery,
  response: { 200: Recipients },
  problems: ['event_not_found', 'not_organizer'],
  // An event may have 100,000 guests.
  limits: { turns: 'heavy' },

  async handler({ caller, params, query }, services: EventServices) {
    const eventId = readId(params.id, 'event_not_found');
    const event = await requireVisibleEvent(services, eventId, caller);
    requireOrganizer(event.row, caller);
    const audience = query.audience === undefined ? guestAudiences : readAudience(query.audience);
    const recipients = await countRecipients(services.db, { eventId, authorId: caller.id, audience });
    return { status: 200, body: { recipients } };
  },
});
