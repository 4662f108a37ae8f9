import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireProfile } from './policy.ts';
import { toProfile } from './present.ts';
import { Profile, UserParams } from './schemas.ts';
import type { PeopleServices } from './services.ts';
import { readUserId } from './user-id.ts';

/** A person's public profile (specification 4.2). */
export const getUser = defineEndpoint({
  method: 'GET',
  path: '/v1/users/:id',
  summary: "A person's public profile",
  description: 'A private profile is open to its owner, to admins and to the people whom the owner follows.',
  caller: 'optional',
  uncached: true,
  params: UserParams,
  response: { 200: Profile },
  problems: ['user_not_found', 'profile_private'],

  async handler({ caller, params }, { profiles, config }: PeopleServices) {
    const { row, relation } = await requireProfile(profiles, readUserId(params.id), caller);
    return { status: 200, body: toProfile(row, relation, config.publicUrl) };
  },
});
