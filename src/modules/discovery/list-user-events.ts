import { Type } from 'typebox';
import { type Database, sql } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { serializeCursorPage } from '../events/event-serializer.ts';
import { isListed, listedCondition } from '../events/policy.ts';
import {
  ByStartPage,
  ByStartQuery,
  collapse,
  type Position,
  readSlice,
  type Slice,
  selectByStart,
  toSlicePage,
} from '../events/start-pages.ts';
import { requireProfile } from '../people/policy.ts';
import { UserParams } from '../people/schemas.ts';
import { readUserId } from '../people/user-id.ts';
import { loadListedEvents } from './event-lists.ts';
import type { DiscoveryServices } from './services.ts';

/** The response is composed of serialized fragments. */
export const listUserEvents = defineEndpoint({
  method: 'GET',
  path: '/v1/users/:id/events',
  tag: 'People',
  summary: 'List the public events that a person organizes',
  description: 'Includes past events. For callers who may see the profile.',
  caller: 'optional',
  params: UserParams,
  query: Type.Object({ collapse, ...ByStartQuery.properties }),
  response: { 200: ByStartPage },
  etag: 'content',
  compressed: 'text',
  problems: ['user_not_found', 'profile_private'],

  async handler({ caller, params, query }, services: DiscoveryServices) {
    const { db, clock } = services;
    const id = readUserId(params.id);
    await requireProfile(services.profiles, id, caller);
    const slice = readSlice(query, clock());
    const found = await listOrganized(db, id, slice);
    const { rows, nextCursor } = toSlicePage(found, query.limit, slice);
    const ids = rows.map((row) => row.id);
    const loaded = await loadListedEvents(services, ids, caller, isListed);
    const elements = loaded.filter((element) => element !== null);
    return { statusCode: 200, json: serializeCursorPage(elements, nextCursor) };
  },
});

/** Lists the listed events that a person organizes, past ones included, in the order of the index events_by_organizer. */
async function listOrganized(db: Database, userId: string, slice: Slice): Promise<Position[]> {
  const list = sql`events e where e.organizer_id = ${userId} and ${listedCondition()}`;
  return await db.query<Position>(selectByStart(sql`e.id, e.start_at`, list, slice));
}
