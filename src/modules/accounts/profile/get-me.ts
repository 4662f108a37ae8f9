import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { AccountServices } from '../services.ts';
import { etagOfMe, toMe } from './present.ts';
import { requireMe } from './repo.ts';
import { Me } from './schemas.ts';

export const getMe = defineEndpoint({
  method: 'GET',
  path: '/v1/auth/me',
  summary: 'Your own account',
  description: 'The profile, with fields that only its owner sees, such as the phone number and the role.',
  caller: 'fresh',
  response: { 200: Me },
  etag: 'version',

  async handler({ caller }, { db, config }: AccountServices) {
    const me = await requireMe(db, caller.id);
    return { status: 200, body: toMe(me, config.publicUrl), headers: { etag: etagOfMe(me) } };
  },
});
