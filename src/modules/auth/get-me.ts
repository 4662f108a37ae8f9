import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { Problem } from '../../lib/errors.ts';
import { findMe } from '../users/own-profile.ts';
import { Me } from '../users/own-profile-schemas.ts';
import { toMe } from '../users/present-own-profile.ts';
import type { AuthServices } from './services.ts';

export const getMe = defineEndpoint({
  method: 'GET',
  path: '/v1/auth/me',
  operationId: 'getMe',
  tag: 'Me',
  summary: 'Your own account',
  description: 'The profile, with fields that only its owner sees, such as the phone number and the role.',
  access: 'required',
  response: { 200: ref(Me) },

  async handler({ caller }, { db, config }: AuthServices) {
    const me = await findMe(db, caller.id);
    if (!me) throw new Problem('token_invalid');
    return { status: 200, body: toMe(me, config.publicUrl) };
  },
});
