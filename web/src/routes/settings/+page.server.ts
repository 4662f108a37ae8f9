import { updateMe } from '@potluck/client';
import { m } from '#lib/paraglide/messages.js';
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
    const result = await submit(async () => {
      await updateMe({ client: api, body });
      return { isProfileSaved: true };
    }, body);
    if (!('status' in result)) return result;
    const { problem } = result.data;
    if (problem.code === 'username_taken') problem.fields.username = m.problem_username_taken();
    else if (problem.fields.username) problem.fields.username = m.account_username_hint();
    return result;
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
