import { maxId } from '#base';
import { readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readId } from '../../lib/ids.ts';
import { findOwnEvent } from '../events/require-own-event.ts';
import { EventParams } from '../events/schemas.ts';
import { presentInvitations } from './present.ts';
import { countInvitations, listInvitations as findInvitations } from './repo.ts';
import { InvitationListQuery, InvitationPage } from './schemas.ts';
import type { InvitationServices } from './services.ts';

export const listInvitations = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/invitations',
  summary: 'List the invitations to an event',
  description: 'For the organizer of the event and admins, the newest first.',
  caller: 'fresh',
  params: EventParams,
  query: InvitationListQuery,
  response: { 200: InvitationPage },
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params, query }, { db, config }: InvitationServices) {
    const subjectId = readId(params.id, 'event_not_found');
    const { status, limit, cursor } = query;
    const [before] = readCursor(cursor, 'id') ?? [maxId];
    await findOwnEvent(db, subjectId, caller);
    const [found, counts] = await Promise.all([
      findInvitations(db, subjectId, { status, before, limit: limit + 1 }),
      countInvitations(db, subjectId),
    ]);
    const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
    const data = await presentInvitations(db, rows, caller.id, config);
    return { status: 200, body: { data, nextCursor, counts } };
  },
});
