import { type Client, createUpload, updateMe } from '@potluck/client';
import { error, redirect } from '@sveltejs/kit';
import { readSettingStates } from '#lib/account/server/setting-states.ts';
import { texts } from '#lib/forms/texts.ts';
import { m } from '#lib/messages/index.js';
import { formAction, InvalidFields } from '#lib/server/form-action.ts';
import type { PageFields } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

/** `/settings` lists the sections, with the profile beside them on wide screens; `/settings/profile` is the profile. */
export const load: PageServerLoad = async ({ locals, url, params: { section } }) => {
  if (section !== undefined && section !== 'profile') error(404);
  const me = requireMe(locals, url);
  const { name, username, bio, city, isPrivate, avatar } = me;
  const isFirst = section === undefined;
  return {
    profile: { name, username, bio, city, isPrivate, avatar },
    isFirst,
    states: isFirst ? await readSettingStates(locals.api, me) : null,
  };
};

export const actions: Actions = {
  profile: formAction({
    access: 'people',
    fields: (form) => {
      const profile = texts(form, 'name', 'username', 'bio', 'city');
      return { ...profile, username: profile.username.toLowerCase(), isPrivate: form.has('isPrivate') };
    },
    send: ({ client }, body) => updateMe({ client, body }),
    // Without scripts, the page is made with the profile as it was before.
    done: (_, values) => ({ values }),
  }),

  avatar: formAction({
    access: 'people',
    send: async ({ client, form }) => updateMe({ client, body: { avatar: await readPicture(client, form) } }),
    done: () => redirect(303, '/settings/profile'),
  }),
};

/** Returns the address of the picture that the browser has uploaded or sent; null for the drawn one. */
async function readPicture(client: Client, form: PageFields): Promise<string | null> {
  const picture = form.file('picture');
  if (!picture) return form.text('avatar') || null;
  if (picture.size === 0) throw new InvalidFields({ picture: m.problem_image_invalid() });
  return (await createUpload({ client, body: picture })).data.url;
}
