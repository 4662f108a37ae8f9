import { updateMe } from '@potluck/client';
import { textOf } from '#lib/forms/texts.ts';
import { formAction, texts } from '#lib/server/form-action.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals, url }) => {
  const { name, username, bio, city, phone, isPrivate, avatar } = requireMe(locals, url);
  return { profile: { name, username, bio, city, phone, isPrivate, avatar } };
};

export const actions: Actions = {
  profile: formAction({
    fields: (form) => {
      const profile = texts(form, 'name', 'username', 'bio', 'city');
      return { ...profile, username: profile.username.toLowerCase(), isPrivate: form.has('isPrivate') };
    },
    send: ({ client }, body) => updateMe({ client, body }),
    done: () => ({ isProfileSaved: true }),
  }),

  /** The browser has uploaded the picture. Without an address, the drawn picture takes its place. */
  avatar: formAction({
    send: ({ client, form }) => updateMe({ client, body: { avatar: textOf(form.get('avatar')) || null } }),
    done: () => ({ isAvatarSaved: true }),
  }),
};
