import { Type } from 'typebox';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { avatarSvg, sendSvg } from '../../http/placeholder-images.ts';
import { route } from '../../http/route.ts';
import { ref } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { requireProfile } from './policy.ts';
import { type RelationRow, toFoundUser, toProfile } from './present.ts';
import * as queries from './repo.ts';
import { Blocked, Following, FoundUser, Profile, UserParams, UserSearchQuery } from './schemas.ts';

export function userRoutes(app: App, { db, config }: Deps): void {
  // Spec 4.1
  app.get(
    '/v1/users/search',
    route({
      name: 'searchUsers',
      access: 'required',
      tag: 'People',
      summary: 'Search people by name or username',
      description: 'Leaves out people whom the caller blocked or who blocked the caller.',
      querystring: UserSearchQuery,
      response: { 200: Type.Object({ data: Type.Array(ref(FoundUser)) }) },
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const term = readTerm(request.query.q);
      const hidden = await queries.listHidden(db, viewer.id);
      const rows = await queries.searchUsers(db, term, hidden, request.query.limit);
      const followed = await queries.listFollowed(
        db,
        viewer.id,
        rows.map((row) => row.id),
      );
      return { data: rows.map((row) => toFoundUser(row, followed.has(row.id), config.publicUrl)) };
    },
  );

  // Spec 4.2
  app.get(
    '/v1/users/:id',
    route({
      name: 'getUser',
      access: 'optional',
      tag: 'People',
      summary: "A person's public profile",
      description:
        'A private profile is open to its owner, to admins and to the people whom the owner follows.',
      params: UserParams,
      response: { 200: ref(Profile) },
      problems: ['user_not_found', 'profile_private'],
    }),
    async (request) => {
      const id = readId(request.params.id, 'user_not_found');
      const { row, relation } = await requireProfile(db, id, request.viewer);
      return toProfile(row, relation, config.publicUrl);
    },
  );

  app.get(
    '/v1/users/:id/avatar.svg',
    route({
      name: 'getAvatar',
      access: 'public',
      tag: 'People',
      summary: 'The generated avatar',
      description: 'Drawn from the id alone, so it tells nothing and never changes.',
      params: UserParams,
      response: { 200: Type.String({ description: 'An SVG image.' }) },
      problems: ['user_not_found'],
    }),
    async (request, reply) => sendSvg(reply, avatarSvg(readId(request.params.id, 'user_not_found'))),
  );

  const follow =
    (follows: boolean) =>
    (relation: RelationRow): RelationRow => {
      if (follows && (relation.blocks || relation.blockedBy)) throw new Problem('blocked');
      return { ...relation, follows };
    };
  // Blocking ends follows in both directions; unblocking brings none back.
  const block =
    (blocks: boolean) =>
    (relation: RelationRow): RelationRow =>
      blocks ? { ...relation, blocks, follows: false, followedBy: false } : { ...relation, blocks };

  const change = (viewer: Caller, param: string, by: (relation: RelationRow) => RelationRow) => {
    const other = readId(param, 'user_not_found');
    if (other === viewer.id) throw new Problem('self_relation');
    return actAs(db, viewer, (tx) => queries.changeRelation(tx, viewer.id, other, by));
  };

  // Spec 4.3
  app.post(
    '/v1/users/:id/follow',
    route({
      name: 'followUser',
      access: 'required',
      tag: 'People',
      summary: 'Follow a person',
      description: 'Following twice changes nothing.',
      params: UserParams,
      response: { 200: Following },
      problems: ['user_not_found', 'self_relation', 'blocked'],
    }),
    async (request) => {
      const followersCount = await change(requireCaller(request), request.params.id, follow(true));
      return { isFollowing: true, followersCount };
    },
  );

  // Spec 4.4
  app.delete(
    '/v1/users/:id/follow',
    route({
      name: 'unfollowUser',
      access: 'required',
      tag: 'People',
      summary: 'Stop following a person',
      description: 'Unfollowing a person whom the caller does not follow changes nothing.',
      params: UserParams,
      response: { 200: Following },
      problems: ['user_not_found', 'self_relation'],
    }),
    async (request) => {
      const followersCount = await change(requireCaller(request), request.params.id, follow(false));
      return { isFollowing: false, followersCount };
    },
  );

  // Spec 4.5
  app.post(
    '/v1/users/:id/block',
    route({
      name: 'blockUser',
      access: 'required',
      tag: 'People',
      summary: 'Block a person',
      description:
        'Ends follows between the two and prevents new ones and messages, hides each from the other in search, and ' +
        "hides the person's events from the caller's lists. It does not prevent RSVPs, bookings and claims: events " +
        'stay open to both, and the organizer of an event sees everybody who comes.',
      params: UserParams,
      response: { 200: Blocked },
      problems: ['user_not_found', 'self_relation'],
    }),
    async (request) => {
      await change(requireCaller(request), request.params.id, block(true));
      return { isBlocked: true };
    },
  );

  // Spec 4.6
  app.delete(
    '/v1/users/:id/block',
    route({
      name: 'unblockUser',
      access: 'required',
      tag: 'People',
      summary: 'Unblock a person',
      description:
        'Unblocking a person who is not blocked changes nothing. Follows that the block ended do not come ' +
        'back.',
      params: UserParams,
      response: { 200: Blocked },
      problems: ['user_not_found', 'self_relation'],
    }),
    async (request) => {
      await change(requireCaller(request), request.params.id, block(false));
      return { isBlocked: false };
    },
  );
}

/** Two characters as they were typed, and as they are looked for: ß is one, though it is looked for as ss. */
function readTerm(q: string): string {
  const term = queries.userSearchTerm(q);
  const length = Math.min([...q.normalize().trim()].length, [...term].length);
  if (length < 2) throw invalid('q', 'must have at least 2 characters');
  return term;
}
