import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { deleteQueuedMailsAbout } from '../../mail/mails.ts';
import type { EventServices } from '../events/services.ts';
import { listPeople } from '../people/repo.ts';
import { readSendAt, requireSendable } from './policy.ts';
import { toAnnouncement } from './present.ts';
import { requireOwnAnnouncement } from './readable.ts';
import { type AnnouncementRow, changeAnnouncement as change, emptyAnnouncement } from './repo.ts';
import { Announcement, AnnouncementChange, AnnouncementParams } from './schemas.ts';

const common = {
  path: '/v1/announcements/:id',
  caller: 'fresh',
  params: AnnouncementParams,
} as const;

export const changeAnnouncement = defineEndpoint({
  ...common,
  method: 'PATCH',
  summary: 'Change an announcement',
  description:
    'For the organizer of its event or series and admins. `audience` and `sendAt` only while it is `scheduled`. The text of one that was sent ' +
    'changes on pages, and in what has not left yet; nothing is sent again.',
  body: AnnouncementChange,
  response: { 200: Announcement },
  problems: ['announcement_not_found', 'not_organizer', 'event_cancelled', 'event_hidden'],

  async handler({ caller, params, body }, { db, clock, config }: EventServices) {
    const id = readId(params.id, 'announcement_not_found');
    const now = clock();
    const sendAt = body.sendAt === undefined ? undefined : readSendAt(body.sendAt, now);
    return await actAs(db, caller, async (tx, caller) => {
      const { row, subject } = await requireOwnAnnouncement(tx, id, caller, now);
      requireChangeable(row, body);
      if (sendAt) requireSendable(subject, sendAt, now);
      const { text = row.text, audience = row.audience } = body;
      const editedAt = text === row.text ? row.editedAt : now;
      const changed = { ...row, text, audience, sendAt: sendAt ?? row.sendAt, editedAt };
      await tx.execute(change(changed));
      const [author] = await listPeople(tx, [row.authorId]);
      if (!author) throw new Problem('announcement_not_found');
      const reader = { isOrganizer: true, publicUrl: config.publicUrl };
      return { status: 200 as const, body: toAnnouncement(changed, author, reader) };
    });
  },
});

/** @throws Problem `invalid_request` for fields that change only what is not sent yet */
function requireChangeable({ status }: AnnouncementRow, body: AnnouncementChange): void {
  if (status === 'scheduled') return;
  for (const field of ['audience', 'sendAt'] as const)
    if (body[field] !== undefined)
      throw invalid(field, 'cannot change any more: the announcement is not scheduled');
}

export const deleteAnnouncement = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Delete an announcement',
  description:
    'For the organizer of its event or series and admins. Also deletes its unread notifications, and its mails that have not left yet.',
  response: { 200: Success },
  problems: ['announcement_not_found', 'not_organizer'],

  async handler({ caller, params }, { db, clock }: EventServices) {
    const id = readId(params.id, 'announcement_not_found');
    await actAs(db, caller, async (tx, caller) => {
      const { row } = await requireOwnAnnouncement(tx, id, caller, clock());
      await tx.execute(emptyAnnouncement(row));
      await deleteQueuedMailsAbout(tx, id);
    });
    return { status: 200, body: { success: true as const } };
  },
});
