import { requireMatch } from '../../../http/conditional.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { actAs } from '../../../identity/act-as.ts';
import type { Caller } from '../../../identity/caller.ts';
import { avatarUrl } from '../../people/present.ts';
import { uploadIdOf } from '../../uploads/present.ts';
import type { AccountServices } from '../services.ts';
import { meResponse, versionOfMe } from './present.ts';
import { notOwnUpload, requireMe, updateProfile } from './repo.ts';
import { Me, MeChange } from './schemas.ts';

export const updateMe = defineEndpoint({
  method: 'PATCH',
  path: '/v1/me',
  summary: 'Change your profile',
  description: 'Fields that are left out do not change.',
  caller: 'fresh',
  etag: 'ifMatch',
  body: MeChange,
  response: { 200: Me },
  problems: ['username_taken'],

  async handler({ caller, body, request }, { db, config }: AccountServices) {
    const { avatar, ...change } = body;
    const row = await actAs(db, caller, async (tx) => {
      const fields = {
        ...change,
        ...(avatar !== undefined && { avatarUpload: avatar && readAvatar(avatar, caller, config) }),
      };
      await updateProfile(tx, caller.id, fields, (before) => requireMatch(request, versionOfMe(before)));
      return requireMe(tx, caller.id);
    });
    return meResponse(row, config);
  },
});

/**
 * The id of the upload, or null for the caller's generated avatar.
 * @throws Problem `invalid_request` if the address is the address of neither
 */
function readAvatar(url: string, { id }: Caller, { publicUrl }: AccountServices['config']): string | null {
  if (url === avatarUrl(publicUrl, { id, avatarUpload: null })) return null;
  const uploadId = uploadIdOf(publicUrl, url);
  if (uploadId === null) throw notOwnUpload();
  return uploadId;
}
