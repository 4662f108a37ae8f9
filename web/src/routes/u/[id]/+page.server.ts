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
import { toEventRows } from '#lib/discovery/server/event-rows.ts';
import { collapsed } from '#lib/discovery/server/filters.ts';
import { formAction, type Submission } from '#lib/server/form-action.ts';
import { localPath } from '#lib/server/local-path.ts';
import { readPage } from '#lib/server/pages.ts';
import { problemText, load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

const eventsPerPage = 12;

export const load: PageServerLoad = async ({ locals: { api, me }, params, url }) => {
  const profile = await findProfile(getUser({ client: api, path: params }));
  const asked = readQuery(url);
  const when = asked.text('when') === 'past' ? ('past' as const) : ('upcoming' as const);
  const ask = asked.text('ask') === 'block' ? ('block' as const) : null;
  const refused = asked.text('refused');
  const refusal = refused ? { message: problemText(refused) } : null;
  if (!profile) return { id: params.id, profile: null, own: null, events: null, when, ask, refusal };
  const query = { ...readPage(url, eventsPerPage), when, ...collapsed };
  const page = await read(listUserEvents({ client: api, path: params, query }));
  const events = { ...page, data: await toEventRows(api, page.data) };
  const own = me?.id === profile.id ? { city: me.city, isPrivate: me.isPrivate } : null;
  return { id: profile.id, profile, own, events, when, ask, refusal };
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

/** Changes the relation to the person, and returns to the page with the button. */
const change = (operation: (person: Submission<{ id: string }>) => Promise<unknown>) =>
  formAction({
    access: 'people',
    send: operation,
    done: (_, __, { form, url }) => redirect(303, localPath(form.get('next') ?? url.pathname)),
  });

export const actions: Actions = {
  follow: change(({ client, path }) => followUser({ client, path })),
  unfollow: change(({ client, path }) => unfollowUser({ client, path })),
  block: change(({ client, path }) => blockUser({ client, path })),
  unblock: change(({ client, path }) => unblockUser({ client, path })),
};
