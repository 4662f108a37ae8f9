import type { Static } from 'typebox';
import { maxId } from '#base';
import { readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { Caller } from '../../identity/caller.ts';
import { readId } from '../../lib/ids.ts';
import { findOwnEvent } from '../events/require-own-event.ts';
import { EventParams, SeriesParams } from '../events/schemas.ts';
import { findOwnSeries } from '../events/series/visible-series.ts';
import { presentInvitations } from './present.ts';
import { countInvitations, listInvitations as findInvitations } from './repo.ts';
import { InvitationListQuery, InvitationPage } from './schemas.ts';
import type { InvitationServices } from './services.ts';

const common = {
  method: 'GET',
  caller: 'fresh',
  query: InvitationListQuery,
  response: { 200: InvitationPage },
} as const;

export const listInvitations = defineEndpoint({
  ...common,
  path: '/v1/events/:id/invitations',
  summary: 'List the invitations to an event',
  description: 'For the organizer of the event and admins, the newest first.',
  params: EventParams,
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: InvitationServices) {
    const { id } = await findOwnEvent(services.db, readId(params.id, 'event_not_found'), caller);
    return { status: 200, body: await listPage(services, id, caller, query) };
  },
});

export const listSeriesInvitations = defineEndpoint({
  ...common,
  path: '/v1/series/:id/invitations',
  summary: 'List the invitations to a series',
  description: 'For the organizer of the series and admins: those to all its dates, the newest first.',
  params: SeriesParams,
  problems: ['series_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: InvitationServices) {
    const { id } = await findOwnSeries(services.db, readId(params.id, 'series_not_found'), caller);
    return { status: 200, body: await listPage(services, id, caller, query) };
  },
});

async function listPage(
  { db, config }: InvitationServices,
  subjectId: string,
  caller: Caller,
  { status, limit, cursor }: Static<typeof InvitationListQuery>,
) {
  const [before] = readCursor(cursor, 'id') ?? [maxId];
  const [found, counts] = await Promise.all([
    findInvitations(db, subjectId, { status, before, limit: limit + 1 }),
    countInvitations(db, subjectId),
  ]);
  const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
  return { data: await presentInvitations(db, rows, caller.id, config), nextCursor, counts };
}
