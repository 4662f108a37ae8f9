import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireMe } from '../users/own-profile.ts';
import { Me } from '../users/own-profile-schemas.ts';
import { etagOfMe, toMe } from '../users/present-own-profile.ts';
import type { AuthServices } from './services.ts';

export const getMe = defineEndpoint({
  method: 'GET',
  path: '/v1/auth/me',
  tag: 'Me',
  summary: 'Your own account',
  description: 'The profile, with fields that only its owner sees, such as the phone number and the role.',
  caller: 'fresh',
  response: { 200: Me },
  etag: 'version',

  async handler({ caller }, { db, config }: AuthServices) {
    const me = await requireMe(db, caller.id);
    return { status: 200, body: toMe(me, config.publicUrl), headers: { etag: etagOfMe(me) } };
  },
});
