import { newId } from '#base';
import { sql, type Transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { IdempotencyContext } from '../../idempotency/context.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import type { Caller } from '../../identity/caller.ts';
import { readId } from '../../lib/ids.ts';
import { insertAnnouncement } from '../../outbox/announcements.ts';
import { countRecipients, guestAudiences } from '../../outbox/audiences.ts';
import { EventParams, SeriesParams } from '../events/schemas.ts';
import type { EventServices } from '../events/services.ts';
import { listPeople } from '../people/repo.ts';
import { maxOfEvent, maxOfPerson, readSendAt, requireQuota, requireSendable } from './policy.ts';
import { toAnnouncement } from './present.ts';
import { countRecent } from './repo.ts';
import { Announcement, NewAnnouncement } from './schemas.ts';
import { findOwnSubject, notFound, type SubjectKey, selectSubject } from './subjects.ts';

const common = {
  method: 'POST',
  caller: 'fresh',
  retry: 'idempotent',
  body: NewAnnouncement,
  response: { 201: Announcement },
} as const;
const problems = ['not_organizer', 'event_cancelled', 'event_hidden', 'quota_exceeded'] as const;

export const createAnnouncement = defineEndpoint({
  ...common,
  path: '/v1/events/:id/announcements',
  summary: 'Write to the guests of an event',
  description:
    'For its organizer and admins. Each recipient gets a notification, once, whatever lists the person is in; its author gets ' +
    'none, and no person with a block between the two does. `sendAt` sends it later; without it, it is sent now, also after the ' +
    `event. ${maxOfEvent} announcements of an event in 24 hours, and ${maxOfPerson} of a person, scheduled and deleted ones included.`,
  params: EventParams,
  problems: ['event_not_found', ...problems],

  async handler({ caller, params, body, idempotency }, services: EventServices) {
    const key = { subjectId: readId(params.id, 'event_not_found'), isOfSeries: false };
    return await announce(services, caller, idempotency, { key, body });
  },
});

export const createSeriesAnnouncement = defineEndpoint({
  ...common,
  path: '/v1/series/:id/announcements',
  summary: 'Write to the guests of a series',
  description:
    'For its organizer and admins. As an announcement of an event, to the guests of all coming dates: a person gets one notification ' +
    'and one mail, about the nearest date that concerns the person. `sendAt` is at most the end of the last date.',
  params: SeriesParams,
  problems: ['series_not_found', ...problems],

  async handler({ caller, params, body, idempotency }, services: EventServices) {
    const key = { subjectId: readId(params.id, 'series_not_found'), isOfSeries: true };
    return await announce(services, caller, idempotency, { key, body });
  },
});

type NewRow = { key: SubjectKey; body: NewAnnouncement };

async function announce(
  services: EventServices,
  caller: Caller,
  idempotency: IdempotencyContext,
  { key, body }: NewRow,
) {
  const now = services.clock();
  const sendAt = body.sendAt === undefined ? now : readSendAt(body.sendAt, now);
  return await runIdempotent(services, caller, idempotency, async (tx, caller) => {
    await findOwnSubject(tx, key, caller, now);
    await lockLimits(tx, key, caller.id);
    const subject = await findOwnSubject(tx, key, caller, now);
    requireSendable(subject, sendAt, now);
    requireQuota(await countRecent(tx, sql`subject_id = ${key.subjectId}`, now), maxOfEvent, now);
    requireQuota(await countRecent(tx, sql`author_id = ${caller.id}`, now), maxOfPerson, now);
    const isLater = sendAt > now;
    const { text, audience = guestAudiences } = body;
    const addressed = { subject: subject.people, authorId: caller.id, audience };
    const announcement = {
      ...{ id: newId(), ...key, authorId: caller.id },
      ...{ text, audience, isOfChange: false },
      status: isLater ? ('scheduled' as const) : ('sent' as const),
      sendAt: isLater ? sendAt : now,
      recipients: isLater ? null : await countRecipients(tx, addressed),
    };
    await tx.execute(insertAnnouncement(announcement, now));
    const [author] = await listPeople(tx, [caller.id]);
    if (!author) throw notFound(key);
    const row = { ...announcement, sentAt: isLater ? null : now, editedAt: null, createdAt: now };
    const reader = { isOrganizer: true, publicUrl: services.config.publicUrl };
    return { status: 201 as const, body: toAnnouncement(row, author, reader) };
  });
}

/**
 * Locks what the limits count by: the account of the author against its other announcements, and the event or series against others
 * of it, and against a change or a deletion.
 */
async function lockLimits(tx: Transaction, key: SubjectKey, authorId: string): Promise<void> {
  await tx.query(sql`select 1 from users where id = ${authorId} for no key update`);
  await tx.query(sql`${selectSubject(key)} for no key update`);
}
