import { defaultsOf, listFlags as findFlags } from '../../flags/flags.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { listOf, ref } from '../../http/schemas.ts';
import type { BaseServices } from '../../http/services.ts';
import { toFlags } from './present.ts';
import { Flag } from './schemas.ts';

export const listFlags = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/flags',
  operationId: 'listFlags',
  tag: 'Administration',
  summary: 'List feature flags',
  description: 'For admins.',
  access: 'admin',
  response: { 200: listOf(ref(Flag)) },

  async handler(_request, { db, config }: BaseServices) {
    return { status: 200, body: { data: toFlags(await findFlags(db), defaultsOf(config)) } };
  },
});
