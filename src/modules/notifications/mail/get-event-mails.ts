import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { named } from '../../../http/schemas.ts';
import { readId } from '../../../lib/ids.ts';
import { countMailsAbout, mailStates } from '../../../mail/mails.ts';
import { listAnnouncementIds } from '../../../outbox/announcements.ts';
import { kindsWithoutEvent, notificationKinds } from '../../../outbox/kinds.ts';
import { requireOrganizer } from '../../events/policy.ts';
import { EventParams } from '../../events/schemas.ts';
import type { EventServices } from '../../events/services.ts';
import { requireVisibleEvent } from '../../events/visible-event.ts';

const count = Type.Integer({ examples: [12] });
const EventMails = named(
  'EventMails',
  Type.Object({ queued: count, sent: count, failed: count, suppressed: count }),
);

const kindsOfEvents = notificationKinds.filter((kind) => !kindsWithoutEvent.includes(kind));

export const getEventMails = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/mails',
  summary: 'Count the mails about an event',
  description:
    'For its organizer and admins: how many mails of the last days to guests are `queued`, were `sent` (the mail server ' +
    'accepted them), have `failed` (it refused them for good, or for two days), or were `suppressed` (it had refused the ' +
    'address before).',
  caller: 'fresh',
  params: EventParams,
  response: { 200: EventMails },
  problems: ['event_not_found', 'not_organizer'],
  // An event may have 100,000 guests.
  limits: { turns: 'heavy' },

  async handler({ caller, params }, services: EventServices) {
    const id = readId(params.id, 'event_not_found');
    const event = await requireVisibleEvent(services, id, caller);
    requireOrganizer(event.row, caller);
    // The mail of an announcement is about it, and not about its event.
    const subjects = [id, ...(await listAnnouncementIds(services.db, id))];
    const counts = await countMailsAbout(services.db, subjects, kindsOfEvents);
    const body = Object.fromEntries(mailStates.map((state) => [state, counts.get(state) ?? 0]));
    return { status: 200, body: body as Record<(typeof mailStates)[number], number> };
  },
});
