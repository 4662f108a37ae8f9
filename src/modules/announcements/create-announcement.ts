import { newId } from '#base';
import { sql, type Transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { insertAnnouncement } from '../../outbox/announcements.ts';
import { countRecipients, guestAudiences } from '../../outbox/audiences.ts';
import { findOwnEvent } from '../events/require-own-event.ts';
import { EventParams } from '../events/schemas.ts';
import type { EventServices } from '../events/services.ts';
import { listPeople } from '../people/repo.ts';
import { maxOfEvent, maxOfPerson, readSendAt, requireQuota, requireSendable } from './policy.ts';
import { toAnnouncement } from './present.ts';
import { countRecent } from './repo.ts';
import { Announcement, NewAnnouncement } from './schemas.ts';

export const createAnnouncement = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/announcements',
  summary: 'Write to the guests of an event',
  description:
    'For its organizer and admins. Each recipient gets a notification, once, whatever lists the person is in; its author gets ' +
    'none, and no person with a block between the two does. `sendAt` sends it later; without it, it is sent now, also after the ' +
    `event. ${maxOfEvent} announcements of an event in 24 hours, and ${maxOfPerson} of a person, scheduled and deleted ones included.`,
  caller: 'fresh',
  retry: 'idempotent',
  params: EventParams,
  body: NewAnnouncement,
  response: { 201: Announcement },
  problems: ['event_not_found', 'not_organizer', 'event_cancelled', 'event_hidden', 'quota_exceeded'],

  async handler({ caller, params, body, idempotency }, services: EventServices) {
    const id = readId(params.id, 'event_not_found');
    const now = services.clock();
    const sendAt = body.sendAt === undefined ? now : readSendAt(body.sendAt, now);
    return await runIdempotent(services, caller, idempotency, async (tx, caller) => {
      await findOwnEvent(tx, id, caller);
      await lockLimits(tx, id, caller.id);
      const event = await findOwnEvent(tx, id, caller);
      requireSendable(event, sendAt, now);
      requireQuota(await countRecent(tx, sql`subject_id = ${id}`, now), maxOfEvent, now);
      requireQuota(await countRecent(tx, sql`author_id = ${caller.id}`, now), maxOfPerson, now);
      const isLater = sendAt > now;
      const { text, audience = guestAudiences } = body;
      const addressed = { eventId: id, authorId: caller.id, audience };
      const announcement = {
        ...{ id: newId(), subjectId: id, authorId: caller.id, text, audience, isOfChange: false },
        status: isLater ? ('scheduled' as const) : ('sent' as const),
        sendAt: isLater ? sendAt : now,
        recipients: isLater ? null : await countRecipients(tx, addressed),
      };
      await tx.execute(insertAnnouncement(announcement, now));
      const [author] = await listPeople(tx, [caller.id]);
      if (!author) throw new Problem('event_not_found');
      const row = { ...announcement, sentAt: isLater ? null : now, editedAt: null, createdAt: now };
      const reader = { isOrganizer: true, publicUrl: services.config.publicUrl };
      return { status: 201 as const, body: toAnnouncement(row, author, reader) };
    });
  },
});

/**
 * Locks what the limits count by: the account of the author against its other announcements, and the event against others of it,
 * and against a change or a deletion.
 */
async function lockLimits(tx: Transaction, eventId: string, authorId: string): Promise<void> {
  await tx.query(sql`select 1 from users where id = ${authorId} for no key update`);
  await tx.query(sql`select 1 from events where id = ${eventId} for no key update`);
}
