import type { Static } from 'typebox';
import { readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { Caller } from '../../identity/caller.ts';
import { readId } from '../../lib/ids.ts';
import { countRecipients, eventSubject, findSeriesSubject, guestAudiences } from '../../outbox/audiences.ts';
import { isOrganizer } from '../events/audience.ts';
import { EventParams, SeriesParams } from '../events/schemas.ts';
import { requireVisibleSeries } from '../events/series/visible-series.ts';
import type { EventServices } from '../events/services.ts';
import { requireVisibleEvent } from '../events/visible-event.ts';
import { listPeople } from '../people/repo.ts';
import { toAnnouncement } from './present.ts';
import { readableBy } from './readable.ts';
import { listAnnouncements as findAnnouncements } from './repo.ts';
import { AnnouncementPage, AnnouncementQuery, Recipients, RecipientsQuery, readAudience } from './schemas.ts';
import { findOwnSubject, type Subject, type SubjectKey } from './subjects.ts';

const list = {
  method: 'GET',
  caller: 'optional',
  query: AnnouncementQuery,
  response: { 200: AnnouncementPage },
} as const;

export const listAnnouncements = defineEndpoint({
  ...list,
  path: '/v1/events/:id/announcements',
  summary: 'List the announcements of an event',
  description:
    'The newest first, by the time at which they are sent. For the organizer and admins, all of them. For others, those that were ' +
    'sent to a list of people in which they are now, without those of authors across a block; without a token, none.',
  session: { guests: 'ofEvent' },
  params: EventParams,
  problems: ['event_not_found'],

  async handler({ caller, params, query }, services: EventServices) {
    const id = readId(params.id, 'event_not_found');
    const { row } = await requireVisibleEvent(services, id, caller);
    const subject = { id, organizerId: row.organizerId, people: eventSubject(id) };
    return { status: 200, body: await listPage(services, subject, caller, query) };
  },
});

export const listSeriesAnnouncements = defineEndpoint({
  ...list,
  path: '/v1/series/:id/announcements',
  summary: 'List the announcements of a series',
  description:
    'Those that were written to all dates, as the announcements of an event. Others than the organizer and admins read what was sent ' +
    'to a list of a coming date in which they are now.',
  uncached: true,
  params: SeriesParams,
  problems: ['series_not_found'],

  async handler({ caller, params, query }, services: EventServices) {
    const id = readId(params.id, 'series_not_found');
    const { organizerId } = await requireVisibleSeries(services.db, id, caller);
    const people = await findSeriesSubject(services.db, id, services.clock());
    const subject = { id, organizerId, people };
    return { status: 200, body: await listPage(services, subject, caller, query) };
  },
});

async function listPage(
  { db, config }: EventServices,
  subject: Pick<Subject, 'id' | 'organizerId' | 'people'>,
  caller: Caller | null,
  query: Static<typeof AnnouncementQuery>,
) {
  const after = readCursor(query.cursor, 'time', 'id');
  const readBy = await readableBy(db, subject, caller);
  const found = await findAnnouncements(db, subject.id, { readBy, after, limit: query.limit + 1 });
  const { rows, nextCursor } = toPage(found, query.limit, ({ sendAt, id }) => [sendAt, id]);
  const people = await listPeople(db, [...new Set(rows.map(({ authorId }) => authorId))]);
  const authors = new Map(people.map((person) => [person.id, person]));
  const reader = { isOrganizer: isOrganizer(subject, caller), publicUrl: config.publicUrl };
  // The announcements of an account that is deleted meanwhile are gone.
  const data = rows.flatMap((row) => {
    const author = authors.get(row.authorId);
    return author ? [toAnnouncement(row, author, reader)] : [];
  });
  return { data, nextCursor };
}

const counted = {
  method: 'GET',
  caller: 'fresh',
  query: RecipientsQuery,
  response: { 200: Recipients },
  // An event may have 100,000 guests.
  limits: { turns: 'heavy' },
} as const;

export const countAnnouncementRecipients = defineEndpoint({
  ...counted,
  path: '/v1/events/:id/announcements/recipients',
  summary: 'Count the recipients of an announcement',
  description:
    'For the organizer of the event and admins: how many people an announcement of the caller would reach now.',
  params: EventParams,
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: EventServices) {
    const key = { subjectId: readId(params.id, 'event_not_found'), isOfSeries: false };
    return { status: 200, body: await count(services, key, caller, query) };
  },
});

export const countSeriesAnnouncementRecipients = defineEndpoint({
  ...counted,
  path: '/v1/series/:id/announcements/recipients',
  summary: 'Count the recipients of an announcement of a series',
  description: 'For the organizer of the series and admins: as of an event, each person once.',
  params: SeriesParams,
  problems: ['series_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: EventServices) {
    const key = { subjectId: readId(params.id, 'series_not_found'), isOfSeries: true };
    return { status: 200, body: await count(services, key, caller, query) };
  },
});

async function count(
  { db, clock }: EventServices,
  key: SubjectKey,
  caller: Caller,
  { audience: names }: Static<typeof RecipientsQuery>,
) {
  const subject = await findOwnSubject(db, key, caller, clock());
  const audience = names === undefined ? guestAudiences : readAudience(names);
  const addressed = { subject: subject.people, authorId: caller.id, audience };
  return { recipients: await countRecipients(db, addressed) };
}
