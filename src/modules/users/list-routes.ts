import { Type } from 'typebox';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { largeText } from '../../http/compression.ts';
import { cursorPage, cursorQuery, readCursor, toPage } from '../../http/cursors.ts';
import { route, sendJson } from '../../http/route.ts';
import { ref } from '../../http/schemas.ts';
import type { Viewer } from '../../identity/caller.ts';
import { readId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { cursorPageBytes } from '../events/event-serializer.ts';
import { loadListedEvents } from '../events/load-listed-events.ts';
import { isListed } from '../events/policy.ts';
import { ByStartPage, ByStartQuery, readSlice, toSlicePage } from '../events/start-pages.ts';
import { listFound, listOrganized, listRelated, type Relation } from './follow-lists.ts';
import { requireProfile } from './policy.ts';
import { toFoundUser } from './present.ts';
import { listFollowed, listHidden } from './repo.ts';
import { FoundUser, UserParams } from './schemas.ts';

const PeopleQuery = Type.Object(cursorQuery);
const PeoplePage = cursorPage(ref(FoundUser));
const ofProfiles =
  'For those who may see the profile. People whom a block stands between are left out for a signed-in caller, ' +
  'suspended ones for everybody, so a page may have fewer people than `limit`.';

/** Who is around a person, and what they organize. */
export function userListRoutes(app: App, { db, config, clock, events, viewerStates }: Deps): void {
  const people = async (
    userId: string,
    relation: Relation,
    viewer: Viewer | null,
    { cursor, limit }: { cursor?: string; limit: number },
  ) => {
    const after = readCursor(cursor, 'id')?.[0] ?? null;
    const hidden = viewer && relation !== 'blocks' ? await listHidden(db, viewer.id) : [];
    const found = await listRelated(db, userId, relation, hidden, after, limit + 1);
    const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
    const ids = rows.map(({ id }) => id);
    const [shown, followed] = await Promise.all([
      listFound(db, ids),
      viewer ? listFollowed(db, viewer.id, ids) : new Set<string>(),
    ]);
    return { data: shown.map((row) => toFoundUser(row, followed.has(row.id), config.publicUrl)), nextCursor };
  };

  const around = [
    { relation: 'followers', name: 'listFollowers', summary: 'Who follows a person' },
    { relation: 'following', name: 'listFollowing', summary: 'Whom a person follows' },
  ] as const;
  for (const { relation, name, summary } of around) {
    app.get(
      `/v1/users/:id/${relation}`,
      route({
        name,
        access: 'optional',
        tag: 'People',
        summary,
        description: `By the age of their accounts. ${ofProfiles}`,
        params: UserParams,
        querystring: PeopleQuery,
        response: { 200: PeoplePage },
        compressFrom: largeText,
        problems: ['user_not_found', 'profile_private'],
      }),
      async (request) => {
        const id = readId(request.params.id, 'user_not_found');
        await requireProfile(db, id, request.viewer);
        return people(id, relation, request.viewer, request.query);
      },
    );
  }

  app.get(
    '/v1/users/:id/events',
    route({
      name: 'listUserEvents',
      access: 'optional',
      tag: 'People',
      summary: 'The public events that a person organizes',
      description: 'Past ones too. For those who may see the profile.',
      params: UserParams,
      querystring: ByStartQuery,
      response: { 200: ByStartPage },
      compressFrom: largeText,
      problems: ['user_not_found', 'profile_private'],
    }),
    async (request, reply) => {
      const { viewer, query } = request;
      const id = readId(request.params.id, 'user_not_found');
      await requireProfile(db, id, viewer);
      const found = await listOrganized(db, id, readSlice(query, clock()));
      const { rows, nextCursor } = toSlicePage(found, query.limit);
      const shown = await loadListedEvents(
        { events, viewerStates },
        rows.map((row) => row.id),
        viewer,
        isListed,
      );
      const elements = shown.filter((element) => element !== null);
      return sendJson(reply, cursorPageBytes(elements, nextCursor, config.publicUrl));
    },
  );

  app.get(
    '/v1/me/blocks',
    route({
      name: 'listMyBlocks',
      access: 'required',
      tag: 'Me',
      summary: 'Whom you have blocked',
      description: 'By the age of their accounts. Who blocked the caller is nowhere to be read.',
      querystring: PeopleQuery,
      response: { 200: PeoplePage },
    }),
    async (request) => {
      const viewer = requireCaller(request);
      return people(viewer.id, 'blocks', viewer, request.query);
    },
  );
}
