import { updateMe } from '@potluck/client';
import { submit } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals, url }) => {
  const { name, username, bio, city, phone, isPrivate, avatar } = requireMe(locals, url);
  return { profile: { name, username, bio, city, phone, isPrivate, avatar } };
};

export const actions: Actions = {
  profile: async ({ locals: { api }, request }) => {
    const form = await request.formData();
    const read = (name: string) =>
      String(form.get(name) ?? '')
        .replaceAll('\r\n', '\n')
        .trim();
    const body = {
      name: read('name'),
      username: read('username').toLowerCase(),
      bio: read('bio'),
      city: read('city'),
      isPrivate: form.has('isPrivate'),
    };
    return submit(async () => {
      await updateMe({ client: api, body });
      return { isProfileSaved: true };
    }, body);
  },

  /** The browser has uploaded the picture. Without an address, the drawn picture takes its place. */
  avatar: async ({ locals: { api }, request }) => {
    const url = String((await request.formData()).get('avatar') ?? '');
    return submit(async () => {
      await updateMe({ client: api, body: { avatar: url === '' ? null : url } });
      return { isAvatarSaved: true };
    }, {});
  },
};
