import { profileOf } from '#lib/people/own-profile.ts';
import { requireMe } from '#lib/server/require-me.ts';
import { readSettingStates } from '#lib/server/setting-states.ts';
import type { PageServerLoad } from './$types';

/** The list of the sections, with the profile beside it on wide screens. */
export const load: PageServerLoad = async ({ locals, url }) => {
  const me = requireMe(locals, url);
  return { profile: profileOf(me), states: await readSettingStates(locals.api, me) };
};
