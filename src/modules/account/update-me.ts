import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { uploadIdOf } from '../uploads/present.ts';
import { findMe, notOwnUpload, updateProfile } from '../users/own-profile.ts';
import { Me, MeChange } from '../users/own-profile-schemas.ts';
import { toMe } from '../users/present-own-profile.ts';
import type { AccountServices } from './services.ts';

/** Changes the caller's profile (specification 4.7). */
export const updateMe = defineEndpoint({
  method: 'PATCH',
  path: '/v1/me',
  operationId: 'updateMe',
  tag: 'Me',
  summary: 'Change your profile',
  description: 'Fields that are left out do not change.',
  access: 'required',
  body: MeChange,
  response: { 200: ref(Me) },
  problems: ['username_taken'],

  async handler({ caller, body }, { db, config }: AccountServices) {
    const { avatar, ...change } = body;
    const row = await actAs(db, caller, async (tx) => {
      await updateProfile(tx, caller.id, {
        ...change,
        ...(avatar !== undefined && { avatarUpload: avatar && readAvatar(avatar, config.publicUrl) }),
      });
      return findMe(tx, caller.id);
    });
    if (!row) throw new Problem('token_invalid');
    return { status: 200, body: toMe(row, config.publicUrl) };
  },
});

/** The id of the upload. @throws Problem `invalid_request` if the address is not the address of an upload */
function readAvatar(url: string, publicUrl: string): string {
  const id = uploadIdOf(publicUrl, url);
  if (id === null) throw notOwnUpload();
  return id;
}
