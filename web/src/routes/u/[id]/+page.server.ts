import {
  blockUser,
  followUser,
  getUser,
  isProblem,
  listUserEvents,
  type Profile,
  unblockUser,
  unfollowUser,
} from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { localPath } from '#lib/server/local-path.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read, submit } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad, RequestEvent } from './$types';

const eventsPerPage = 12;

export const load: PageServerLoad = async ({ locals: { api, me }, params, url }) => {
  const profile = await findProfile(getUser({ client: api, path: params }));
  const when = url.searchParams.get('when') === 'past' ? ('past' as const) : ('upcoming' as const);
  const ask = url.searchParams.get('ask') === 'block' ? ('block' as const) : null;
  if (!profile) return { id: params.id, profile: null, own: null, events: null, when, ask };
  const query = { ...readPage(url, eventsPerPage), when };
  const events = await read(listUserEvents({ client: api, path: params, query }));
  const own = me?.id === profile.id ? { city: me.city, isPrivate: me.isPrivate } : null;
  return { id: profile.id, profile, own, events, when, ask };
};

/** Returns null if the profile is private. */
async function findProfile(response: Promise<{ data: Profile }>): Promise<Profile | null> {
  try {
    return (await response).data;
  } catch (error) {
    if (isProblem(error, 'profile_private')) return null;
    return read<Profile>(Promise.reject(error));
  }
}

type Operation = typeof followUser | typeof unfollowUser | typeof blockUser | typeof unblockUser;

/** Changes the relation to the person, and returns to the page with the button. */
const change =
  (operation: Operation) =>
  async ({ locals, params, request, url }: RequestEvent) => {
    requireMe(locals, url);
    const next = localPath((await request.formData()).get('next') ?? url.pathname);
    const result = await submit(async () => {
      await operation({ client: locals.api, path: params });
      return { next };
    }, {});
    if ('status' in result) return result;
    redirect(303, result.next);
  };

export const actions: Actions = {
  follow: change(followUser),
  unfollow: change(unfollowUser),
  block: change(blockUser),
  unblock: change(unblockUser),
};
